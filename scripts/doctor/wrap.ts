/** Breaks a text at its blanks; a word that is longer than a line is cut. `first` and `next` begin the lines. */
export function wrap(text: string, first: string, next: string, width = 100): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (let word of text.split(/\s+/).filter((part) => part !== '')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = next;
      isEmpty = true;
    }
    while (isEmpty && line.length + word.length > width) {
      lines.push(line + word.slice(0, width - line.length));
      word = word.slice(width - line.length);
      line = next;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
