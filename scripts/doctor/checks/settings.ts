import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../user-error.ts';
import { readSettings } from '../settings.ts';
import type { Check } from './check.ts';

export const settings: Check = {
  name: 'database settings',
  unused: ({ env }) => (env.RAG_DATABASE ? null : 'RAG_DATABASE is not set; the deploy makes the database'),
  async run({ env }) {
    const { address, owner, model } = readSettings(env);
    if (address.wallet !== '') await requireWallet(address.wallet);
    const how = address.wallet === '' ? 'without a wallet' : 'with a wallet';
    return `an Oracle database ${how}, the model ${owner}.${model}`;
  },
};

/** The driver reads the wallet's PEM file alone, and says little where it is missing. */
export async function requireWallet(folder: string): Promise<void> {
  await access(join(folder, 'ewallet.pem')).catch(() => {
    throw new UserError('RAG_DATABASE_WALLET must be the folder of the unpacked wallet: there is no ewallet.pem in it');
  });
}
