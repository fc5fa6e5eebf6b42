// npm start: the whole product on this machine.
import { parseArgs } from 'node:util';
import { runInstance, settingsOf } from './instance.ts';
import { launch } from './launch.ts';
import { instanceOptions, readOptions } from './options.ts';

const USAGE = `usage: npm start -- [--port N] [--data DIR] [--reset] [--empty] [--reembed]
  --port N     listen on 127.0.0.1:N (default 8080; 0 takes any free port)
  --data DIR   where everything is kept (default .data)
  --reset      begin anew: what the data folder holds is removed
  --empty      begin without the sample team's records
  --reembed    embed anew what another embedding model has embedded`;

await launch(async (undo) => {
  const args = process.argv.slice(2);
  const { checked } = readOptions(USAGE, () => parseArgs({ args, options: instanceOptions('.data') }).values);
  await runInstance(checked, settingsOf(process.env), undo);
});
