/** Names of distributions compare in this form (packaging.python.org, "Names and normalization"). */
export function canonical(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
