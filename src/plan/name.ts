/** The characters of a name, which becomes part of ids, folder names and command lines. */
export const NAME = /^[a-z0-9][a-z0-9.-]*$/;
