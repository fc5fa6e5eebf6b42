// npm run start:oracle: the whole product on this machine, on an Oracle Database in a container.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { claimDataFolder } from './data-folder.ts';
import { runInstance, settingsOf } from './instance.ts';
import { launch, type Undo } from './launch.ts';
import { instanceOptions, readOptions } from './options.ts';
import { OracleContainer, SHOW_LOG } from './oracle/container.ts';
import { waitForLogin } from './oracle/login.ts';
import { checkModelFile } from './oracle/model-file.ts';
import { connectStringOf, readContainerSettings, stackSettings } from './oracle/settings.ts';

const MODELS = join(import.meta.dirname, '..', '..', '.models');
const USAGE = `usage: npm run start:oracle -- [--port N] [--data DIR] [--reset] [--empty] [--reembed] | --down [--reset]
  --port N     listen on 127.0.0.1:N (default 8080; 0 takes any free port)
  --data DIR   where the log and the tokens' key are kept (default .data-oracle)
  --reset      begin anew: the database's volume and what the data folder holds are removed
  --empty      begin without the sample team's records
  --reembed    embed anew what another embedding model has embedded
  --down       stop the database's container, and start nothing; its data stays, unless --reset is there too
Environment: ORACLE_PORT (default 1521) and ORACLE_PASSWORD (of SYSTEM and of the product's two users), as in compose.yaml;
RAG_… settings go before those that this sets.`;

async function start(args: string[], undo: Undo): Promise<void> {
  const { checked, down } = readOptions(USAGE, () => {
    const options = { ...instanceOptions('.data-oracle'), down: { type: 'boolean', default: false } } as const;
    return parseArgs({ args, options }).values;
  });
  const settings = readContainerSettings(process.env);
  const container = new OracleContainer(settings, process.env);
  await container.requireDocker();
  if (down) {
    // The records that the data folder speaks of go with the volume.
    if (checked.reset) await (await claimDataFolder(checked.data, true)).release();
    await container.stop(checked.reset);
    return;
  }
  checkModelFile(MODELS);
  await runInstance(checked, { ...stackSettings(settings), ...settingsOf(process.env) }, undo, {
    async prepare(reset) {
      if (reset) await container.stop(true);
      process.stdout.write('Starting Oracle Database; the first time takes minutes, and downloads its image …\n');
      await container.start();
      await waitForLogin(settings);
      process.stdout.write('Preparing its schema and embedding model; the first time takes a minute or two …\n');
    },
    log: `\`${SHOW_LOG}\``,
    about: `Oracle at ${connectStringOf(settings)}, which goes on after Ctrl-C; npm run start:oracle -- --down stops it`,
  });
}

await launch((undo) => start(process.argv.slice(2), undo));
