import { readSettings } from '../settings.ts';
import type { Check } from './check.ts';
import { settings as databaseSettings } from './settings.ts';

export const connection: Check = {
  name: 'database connection',
  after: [databaseSettings],
  async run({ env, connect }) {
    const settings = readSettings(env);
    const opened = await connect(settings);
    const version = opened.oracleServerVersionString;
    await opened.close().catch(() => {});
    return `Oracle Database ${version}, as ${settings.user}`;
  },
};
