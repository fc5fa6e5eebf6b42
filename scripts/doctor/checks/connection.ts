import { readSettings } from '../settings.ts';
import type { Check } from './check.ts';

export const connection: Check = {
  name: 'connection',
  async run({ env, connect }) {
    const settings = readSettings(env);
    const opened = await connect(settings);
    const version = opened.oracleServerVersionString;
    await opened.close().catch(() => {});
    return `Oracle Database ${version}, as ${settings.user}`;
  },
};
