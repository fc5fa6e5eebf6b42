import { KmsKey } from '@cdktf/provider-oci/kms-key';
import { KmsVault } from '@cdktf/provider-oci/kms-vault';
import { VaultSecret } from '@cdktf/provider-oci/vault-secret';
import { Construct } from '../framework.ts';
import { keepData, pin } from './stateful.ts';

interface SecretsProps {
  name: string;
  compartmentId: string;
  /** A vault with hardware of its own, which is paid for. */
  privateVault: boolean;
  preventDestroy: boolean;
}

/** Within what the database takes: 12 to 30 characters. */
const PASSWORD_LENGTH = 24;
/** AES with 256 bits; the provider counts bytes. */
const KEY_BYTES = 32;

/**
 * The passwords of the database's users. The Vault makes them: Terraform knows their OCIDs alone, and so do its state,
 * its plans and the functions' configuration.
 */
export class Secrets extends Construct {
  /** The OCIDs of the secrets. */
  readonly adminId: string;
  readonly ownerId: string;
  readonly runtimeId: string;

  constructor(scope: Construct, id: string, { name, compartmentId, privateVault, preventDestroy }: SecretsProps) {
    super(scope, id);
    const vault = new KmsVault(this, 'vault', {
      compartmentId,
      displayName: name,
      vaultType: privateVault ? 'VIRTUAL_PRIVATE' : 'DEFAULT',
      ...keepData(preventDestroy),
    });
    pin(vault, 'vault');
    const key = new KmsKey(this, 'key', {
      compartmentId,
      displayName: name,
      managementEndpoint: vault.managementEndpoint,
      keyShape: { algorithm: 'AES', length: KEY_BYTES },
      protectionMode: 'SOFTWARE',
      ...keepData(preventDestroy),
    });
    pin(key, 'key');
    const password = (user: string, description: string) => {
      const secret = new VaultSecret(this, user, {
        compartmentId,
        vaultId: vault.id,
        keyId: key.id,
        secretName: `${name}-${user}`,
        description,
        enableAutoGeneration: true,
        secretGenerationContext: {
          generationType: 'PASSPHRASE',
          generationTemplate: 'DBAAS_DEFAULT_PASSWORD',
          passphraseLength: PASSWORD_LENGTH,
        },
        ...keepData(preventDestroy),
      });
      pin(secret, `secret_${user}`);
      return secret.id;
    };
    this.adminId = password('admin', 'ADMIN of the database: it, and bootstrap, read this');
    this.ownerId = password('owner', 'The owner of the tables: bootstrap reads this');
    this.runtimeId = password('runtime', 'As whom the functions log in');
  }
}
