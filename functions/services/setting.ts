import { once } from './once.ts';

/** What the settings of OCI's services begin with. */
export const IN_OCI = 'oci:';
const IN_VAULT = 'vault:';

/** A setting's value, or that of the Vault secret which it names, read once. */
export const secret = (value: string) =>
  once(async () => {
    if (!value.startsWith(IN_VAULT)) return value;
    const { readSecret, vaultOfFunction } = await import('../adapters/oci/vault.ts');
    return readSecret(vaultOfFunction(), value.slice(IN_VAULT.length));
  });
