/** What setuptools leaves in a project that it builds. Nothing is built or run from it. */
const OUTPUT = /(^|\/)([^/]+\.egg-info|build\/(bdist\.|lib\.|temp\.)[^/]+|build\/lib)\//;

/** @param name of a file, relative to its checkout or a folder of that */
export function isSetuptoolsOutput(name: string): boolean {
  return OUTPUT.test(name);
}
