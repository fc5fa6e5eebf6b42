// npm start: the whole product on this machine.
import { parseArgs } from 'node:util';
import { UserError } from '../user-error.ts';
import { runInstance, settingsOf } from './instance.ts';
import { launch } from './launch.ts';
import { MINILM_SETTINGS } from './local-model.ts';
import { instanceOptions, readOptions } from './options.ts';

const USAGE = `usage: npm start -- [--port N] [--data DIR] [--reset] [--empty] [--reembed] [--model minilm]
  --port N     listen on 127.0.0.1:N (default 8080; 0 takes any free port)
  --data DIR   where everything is kept (default .data)
  --reset      begin anew: what the data folder holds is removed
  --empty      begin without the sample team's records
  --reembed    embed anew what another embedding model has embedded
  --model minilm
               embed by the cloud's model, ALL_MINILM_L12_V2, which npm run model:local brings`;

await launch(async (undo) => {
  const args = process.argv.slice(2);
  const options = { ...instanceOptions('.data'), model: { type: 'string' } } as const;
  const { checked, model } = readOptions(USAGE, () => parseArgs({ args, options }).values);
  if (model !== undefined && model !== 'minilm') throw new UserError(`--model must be minilm, got ${model}`);
  const settings = { ...(model === 'minilm' ? MINILM_SETTINGS : {}), ...settingsOf(process.env) };
  await runInstance(checked, settings, undo);
});
