/**
 * A piece of a file that is cut in its own way. `prose` at any boundary, best first: paragraph, line, sentence, word,
 * character. `rows` (a table, a plan, a log) between lines alone. `whole` (a code block, a stack of errors) not at all. A line
 * of rows and a whole that are longer than a passage are cut all the same, rows and whole between lines where that is
 * possible.
 */
export interface Block {
  text: string;
  kind: 'prose' | 'rows' | 'whole';
  /** What a passage that begins amid the block begins with: the header row of a table, with its line end. */
  header?: string;
}
