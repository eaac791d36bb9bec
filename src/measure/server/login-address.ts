/** Addresses of login pages. */

/** Whole words of an address: `/authors/`, `/lessons/` and `/processors/` lead to no login. */
const LOGIN = /(?:^|[^a-z])(?:log-?in|sign-?in|auth|oauth2?|sso|accounts?)(?![a-z])/i;

/** Whether an address, such as a redirect's, looks like that of a login page. */
export function isLoginAddress(address: string): boolean {
  return LOGIN.test(address);
}
