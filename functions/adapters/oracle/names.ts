/** An Oracle name that needs no quotes; nothing else is ever written into a statement. */
const NAME = /^[A-Z][A-Z0-9_]{0,122}$/;

export const isName = (name: string): boolean => NAME.test(name);

export function requireName(name: string): string {
  if (!isName(name)) throw new Error(`${JSON.stringify(name)} is not an Oracle name (A-Z, 0-9, _; a letter first)`);
  return name;
}

/** Unquoted names have no case: the name as the catalog has it. */
export const catalogName = (name: string): string => requireName(name.toUpperCase());

/** Of whom and of what the product's objects in the database are. */
export interface SchemaNames {
  /** Who owns tables, packages, policies and the model. */
  owner: string;
  /** As whom the functions log in. */
  runtime: string;
}

/** The application context that the row policies read: one of each schema, since its name belongs to the whole database. */
export const contextOf = ({ owner }: SchemaNames): string => `${requireName(owner)}_CTX`;
