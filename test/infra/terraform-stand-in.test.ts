import { expect, test } from 'vitest';
import { canRunTerraform, withTerraform } from '../support/terraform/terraform.ts';

const compartment_id = 'ocid1.compartment.oc1..aaaa';
const namespace = '${data.oci_objectstorage_namespace.ns.namespace}';
const PROFILES = 'oci_database_autonomous_database.db.connection_strings[0].profiles';
const LIST = `[for p in ${PROFILES} : p.value if p.consumer_group == "LOW" && p.tls_authentication == "SERVER" && p.syntax_format == "LONG"]`;

const stack = ({ database = {}, bucket = {}, content = 'one' } = {}) => ({
  terraform: {
    required_providers: { oci: { source: 'oracle/oci', version: '8.28.0' } },
    backend: { local: { path: 'terraform.test.tfstate' } },
  },
  provider: { oci: [{ region: 'eu-frankfurt-1' }] },
  data: { oci_objectstorage_namespace: { ns: { compartment_id } } },
  resource: {
    oci_objectstorage_bucket: { bucket: { compartment_id, namespace, name: 'models', ...bucket } },
    oci_objectstorage_object: {
      object: { namespace, bucket: '${oci_objectstorage_bucket.bucket.name}', object: 'model.onnx', content },
    },
    oci_objectstorage_preauthrequest: {
      link: {
        namespace,
        bucket: '${oci_objectstorage_bucket.bucket.name}',
        name: 'link',
        access_type: 'ObjectRead',
        object_name: '${oci_objectstorage_object.object.object}',
        time_expires: '${timeadd(plantimestamp(), "24h")}',
        lifecycle: { ignore_changes: ['time_expires'] },
      },
    },
    oci_kms_vault: { vault: { compartment_id, display_name: 'vault', vault_type: 'DEFAULT' } },
    oci_kms_key: {
      key: {
        compartment_id,
        display_name: 'key',
        management_endpoint: '${oci_kms_vault.vault.management_endpoint}',
        key_shape: { algorithm: 'AES', length: 32 },
      },
    },
    oci_vault_secret: {
      admin: {
        compartment_id,
        vault_id: '${oci_kms_vault.vault.id}',
        key_id: '${oci_kms_key.key.id}',
        secret_name: 'admin',
        enable_auto_generation: true,
        secret_generation_context: {
          generation_type: 'PASSPHRASE',
          generation_template: 'DBAAS_DEFAULT_PASSWORD',
        },
      },
    },
    oci_database_autonomous_database: {
      db: {
        compartment_id,
        db_name: 'rag',
        secret_id: '${oci_vault_secret.admin.id}',
        is_mtls_connection_required: false,
        whitelisted_ips: ['203.0.113.7'],
        ...database,
      },
    },
  },
  output: { dsn: { value: `\${${LIST}[0]}` } },
});

const SLOW = { timeout: 120_000 };

test.skipIf(!canRunTerraform)('validation tells a wrong attribute and a missing one', SLOW, async () => {
  await withTerraform(stack(), async (terraform) => {
    expect(await terraform.validate()).toMatchObject({ exitCode: 0 });
    terraform.use(stack({ bucket: { nickname: 'x' } }));
    expect((await terraform.validate()).output).toContain('Extraneous JSON object property');
    terraform.use(stack({ database: { db_name: undefined } }));
    expect((await terraform.validate()).output).toContain('The argument "db_name" is required');
  });
});

test.skipIf(!canRunTerraform)('a stack is made, stays as it is, changes, is replaced, and goes', SLOW, async () => {
  await withTerraform(stack(), async (terraform) => {
    const first = await terraform.plan();
    expect(first.output).toContain('7 to add');
    expect(new Set(Object.values(first.changes))).toEqual(new Set(['create']));
    expect(await terraform.apply()).toMatchObject({ exitCode: 0 });
    expect(await terraform.plan()).toMatchObject({ exitCode: 0, changes: {} });

    const state = await terraform.state();
    expect(state.outputs.dsn?.value).toMatch(/port=1521.*_rag_low\.adb/);
    const { passwords, links } = terraform.canaries();
    expect([passwords.length, links.length]).toEqual([1, 1]);
    expect(JSON.stringify(state)).not.toContain(passwords[0]);
    expect(JSON.stringify(state)).toContain(links[0]);

    terraform.use(stack({ database: { whitelisted_ips: ['203.0.113.8'] }, content: 'two' }));
    expect((await terraform.plan()).changes).toEqual({
      'oci_database_autonomous_database.db': 'update',
      'oci_objectstorage_object.object': 'delete,create',
    });
    expect(await terraform.apply()).toMatchObject({ exitCode: 0 });
    expect(await terraform.plan()).toMatchObject({ exitCode: 0, changes: {} });

    terraform.cloud.objects.add('models/stranger');
    expect((await terraform.destroy()).output).toContain('409-BucketNotEmpty');
    terraform.cloud.objects.clear();
    expect(await terraform.destroy()).toMatchObject({ exitCode: 0 });
    expect(terraform.cloud.resources).toEqual([]);
    const told = terraform.journal.map(({ op, type }) => `${op} ${type.replace(/^oci_[a-z]+_/, '')}`);
    const before = (a: string, b: string) => expect(told.indexOf(a), `${a} before ${b}`).toBeLessThan(told.indexOf(b));
    before('create bucket', 'create object');
    before('create secret', 'create autonomous_database');
    before('delete object', 'delete bucket');
  });
});

test.skipIf(!canRunTerraform)('what the service refuses fails the apply', SLOW, async () => {
  await withTerraform(stack({ database: { whitelisted_ips: undefined } }), async (terraform) => {
    const { exitCode, output } = await terraform.apply();
    expect(exitCode).toBe(1);
    expect(output).toContain('TLS without mutual authentication');
    expect(terraform.cloud.find('oci_database_autonomous_database')).toBeUndefined();
    const bucket = terraform.cloud.find('oci_objectstorage_bucket');
    terraform.cloud.resources.splice(terraform.cloud.resources.indexOf(bucket as never), 1);
    expect((await terraform.plan()).changes).toMatchObject({ 'oci_objectstorage_bucket.bucket': 'create' });
  });
});
