import { Presets, SingleBar } from 'cli-progress';
import { say } from '../printing.ts';

/** Shows how far something has come: a bar on a terminal, a line now and then elsewhere. */
export interface Meter {
  update(done: number, note: string): void;
  /** Shows a line of text without spoiling the bar. */
  note(text: string): void;
  stop(): void;
}

const LINE_EVERY_MS = 2000;

export function createMeter(what: string, total: number): Meter {
  return process.stdout.isTTY ? barMeter(what, total) : lineMeter(what, total);
}

function barMeter(what: string, total: number): Meter {
  const bar = new SingleBar({ format: `${what} {bar} {value}/{total}  {note}` }, Presets.shades_classic);
  bar.start(total, 0, { note: '' });
  return {
    update: (done, note) => bar.update(done, { note }),
    note: (text) => bar.update({ note: text }),
    stop: () => bar.stop(),
  };
}

function lineMeter(what: string, total: number): Meter {
  let shownAt = 0;
  let shown = '';
  let latest = '';
  const show = (line: string) => {
    shownAt = Date.now();
    shown = line;
    say(line);
  };
  return {
    update(done, note) {
      latest = `${what} ${done}/${total}${note === '' ? '' : `  ${note}`}`;
      if (Date.now() - shownAt >= LINE_EVERY_MS) show(latest);
    },
    note: show,
    stop() {
      if (latest !== '' && latest !== shown) show(latest);
    },
  };
}
