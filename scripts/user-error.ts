/** Something that the person at the command line can mend; shown to them as it is, without a stack. */
export class UserError extends Error {}
