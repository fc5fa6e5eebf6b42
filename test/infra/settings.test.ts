import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freeTierFaults } from '../../infra/free-tier.ts';
import { DeploymentError, readDeployment } from '../../infra/settings.ts';
import { ENV, synth } from '../support/synth.ts';

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readDeployment({}, { ...ENV, ...env });
    return [];
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    return error.faults;
  }
};

const OPENAI = { DEPLOY_ANSWER_MODEL: 'openai:meta/llama:free', DEPLOY_ANSWER_URL: 'https://models.example.com/v1' };
const KEY = 'sk-canary-0451';

/** Within what is free. */
const MODEST = { poolMax: 1, maxInstances: 1, generativeAi: false };

describe('the settings of a deployment', () => {
  it.each([
    ['DEPLOY_NAME', 'Oci', 'DEPLOY_NAME must be 2 to 20 lower-case letters, digits and -, a letter first'],
    ['DEPLOY_COMPARTMENT', 'mine', 'DEPLOY_COMPARTMENT must be an OCID, ocid1.compartment.…'],
    ['DEPLOY_REGION', 'Frankfurt', 'DEPLOY_REGION must be a region identifier such as eu-frankfurt-1'],
    [
      'DEPLOY_OPERATOR_CIDRS',
      '10.0.0.0/33',
      'DEPLOY_OPERATOR_CIDRS "10.0.0.0/33" must be an IPv4 address or range, such as 203.0.113.7 or 203.0.113.0/24',
    ],
    ['DEPLOY_OPERATOR_EMAILS', 'a@b.c,nobody', 'DEPLOY_OPERATOR_EMAILS "nobody" must be an e-mail address'],
    ['DEPLOY_AUTH_JWKS', 'http://x/jwks', 'DEPLOY_AUTH_JWKS must be an address, https://…, on port 443'],
    ['DEPLOY_REQUESTS_PER_SECOND', '0', 'DEPLOY_REQUESTS_PER_SECOND must be a whole number from 1 to 1000'],
    ['DEPLOY_REQUESTS_PER_SECOND', '1e2', 'DEPLOY_REQUESTS_PER_SECOND must be a whole number from 1 to 1000'],
    ['DEPLOY_ALWAYS_FREE', 'yes', 'DEPLOY_ALWAYS_FREE must be one of true, false'],
    ['DEPLOY_MEMORY_MB', '600', 'DEPLOY_MEMORY_MB must be one of 128, 256, 512, 1024, 2048, 3072'],
    ['DEPLOY_FUNCTION_SETTINGS', 'X=1', 'DEPLOY_FUNCTION_SETTINGS "X" must begin with RAG_'],
    ['DEPLOY_FUNCTION_SETTINGS', 'RAG_X=1', 'DEPLOY_FUNCTION_SETTINGS RAG_X is not a setting of this version'],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_RETRIEVAL_TOP_K=0',
      'DEPLOY_FUNCTION_SETTINGS RAG_RETRIEVAL_TOP_K must be a whole number from 1 to 50',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_STORAGE=s3:bucket',
      'DEPLOY_FUNCTION_SETTINGS "RAG_STORAGE" is set by the deployment itself',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_NUDGE_URL=x',
      'DEPLOY_FUNCTION_SETTINGS "RAG_NUDGE_URL" is set by the deployment itself',
    ],
    [
      'FUNCTION_IMAGE',
      'docker.io/x:1',
      'FUNCTION_IMAGE must be <region>.ocir.io/<namespace>/<repository>:<tag>, with or without @sha256:<digest>',
    ],
    [
      'FUNCTION_IMAGE',
      'us-phoenix-1.ocir.io/a/b:1',
      'FUNCTION_IMAGE is in us-phoenix-1, but functions take images of their own region, eu-frankfurt-1',
    ],
    [
      'DEPLOY_AUTH_AUDIENCE',
      '${file("/etc/passwd")}',
      'DEPLOY_AUTH_AUDIENCE must not hold ${ or %{, which Terraform would take for an expression',
    ],
    ['DEPLOY_STATE_BUCKET', 'state', 'DEPLOY_STATE_BUCKET and DEPLOY_STATE_NAMESPACE go together'],
    ['DEPLOY_MONTHLY_BUDGET', '5', 'DEPLOY_MONTHLY_BUDGET tells nobody: set DEPLOY_OPERATOR_EMAILS too'],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_EMBEDDING_NEXT_MODEL_SOURCE=https://x/p/secret',
      'DEPLOY_FUNCTION_SETTINGS "RAG_EMBEDDING_NEXT_MODEL_SOURCE" is set by the deployment itself',
    ],
    [
      'DEPLOY_ANSWER_MODEL',
      'gpt-4o',
      'DEPLOY_ANSWER_MODEL must be extractive, the id of a model of Generative AI such as cohere.command-a-03-2025, or openai:<model id>',
    ],
    [
      'DEPLOY_ANSWER_MODEL',
      'openai:gpt-4o',
      'DEPLOY_ANSWER_URL is missing, though DEPLOY_ANSWER_MODEL is openai:gpt-4o',
    ],
    [
      'DEPLOY_ANSWER_URL',
      OPENAI.DEPLOY_ANSWER_URL,
      'DEPLOY_ANSWER_URL is of no use: it belongs to DEPLOY_ANSWER_MODEL=openai:<model id>',
    ],
    [
      'DEPLOY_ANSWER_API_KEY_SECRET',
      'ocid1.vaultsecret.oc1..key',
      'DEPLOY_ANSWER_API_KEY_SECRET is of no use: it belongs to DEPLOY_ANSWER_MODEL=openai:<model id>',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_ANSWER_MODEL=oci:cohere.command-a-03-2025',
      'DEPLOY_FUNCTION_SETTINGS "RAG_ANSWER_MODEL" is set by the deployment itself: DEPLOY_ANSWER_MODEL',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_LIMIT_MODEL_CALLS_PER_DAY=many',
      'DEPLOY_FUNCTION_SETTINGS RAG_LIMIT_MODEL_CALLS_PER_DAY must be a whole number from 0 to 1000000000',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_EMBEDDING_MODEL=other',
      'DEPLOY_FUNCTION_SETTINGS RAG_EMBEDDING_MODEL and RAG_EMBEDDING_URL=oci:<region>:<compartment OCID> go together; any other model that embeds is set by the deployment itself',
    ],
    [
      'DEPLOY_FUNCTION_SETTINGS',
      'RAG_EMBEDDING_MODEL=cohere.embed-v4.0,RAG_EMBEDDING_URL=oci:eu-frankfurt-1:ocid1.compartment.oc1..other',
      `DEPLOY_FUNCTION_SETTINGS RAG_EMBEDDING_URL must end with the deployment's compartment, ${ENV.DEPLOY_COMPARTMENT}, where the functions may use Generative AI`,
    ],
    ['DEPLOY_REGOIN', 'x', 'DEPLOY_REGOIN is not a setting of a deployment'],
  ])('%s=%s is refused by name', (name, value, fault) => {
    expect(faultsOf({ [name]: value })).toEqual([fault]);
  });

  it.each([
    ['DEPLOY_ANSWER_API_KEY_SECRET', KEY, 'must be the OCID of a Vault secret that holds the key'],
    ['DEPLOY_ANSWER_API_KEY', KEY, 'DEPLOY_ANSWER_API_KEY is not a setting'],
    ['DEPLOY_FUNCTION_SETTINGS', `RAG_ANSWER_API_KEY=${KEY}`, 'itself: DEPLOY_ANSWER_API_KEY_SECRET'],
    ['DEPLOY_ANSWER_URL', `https://models.example.com/v1?key=${KEY}`, 'must be an address without ? and #'],
    ['DEPLOY_ANSWER_URL', `https://me:${KEY}@models.example.com/v1`, 'must be an address, https://…, on port 443'],
    ['DEPLOY_ANSWER_URL', 'https://[', 'is not a valid address'],
    ['DEPLOY_ANSWER_URL', 'http://models.example.com/v1', 'must be an address, https://…, on port 443'],
    ['DEPLOY_ANSWER_URL', 'https://models.example.com:8443/v1', 'must be an address, https://…, on port 443'],
  ])('%s=%s is refused, and no key is repeated', (name, value, fault) => {
    const faults = faultsOf({ ...OPENAI, [name]: value });
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults.join()).not.toContain(KEY);
  });

  it.each([
    ['cohere.command-a-03-2025', 'oci:cohere.command-a-03-2025'],
    ['oci:openai.gpt-oss-120b', 'oci:openai.gpt-oss-120b'],
    ['extractive', ''],
    ['', ''],
  ])('take the answering model %j as %j', (text, model) => {
    expect(readDeployment({}, { ...ENV, DEPLOY_ANSWER_MODEL: text }).answerModel).toBe(model);
    expect(readDeployment({ answerModel: text }, ENV).answerModel).toBe(model);
  });

  it('ask a chat model in the deployment’s region where that is known to have some, and else where it is said', () => {
    const model = { DEPLOY_ANSWER_MODEL: 'cohere.command-a-03-2025' };
    const image = 'eu-paris-1.ocir.io/space/oci-rag:1';
    const paris = { ...ENV, ...model, DEPLOY_REGION: 'eu-paris-1', FUNCTION_IMAGE: image };
    const there = { ...paris, DEPLOY_GENAI_REGION: 'us-chicago-1' };
    expect(readDeployment({}, { ...ENV, ...model }).genaiRegion).toBe('eu-frankfurt-1');
    expect(readDeployment({}, there).genaiRegion).toBe('us-chicago-1');
    expect(readDeployment({}, { ...paris, DEPLOY_GENAI_REGION: 'eu-paris-1' }).genaiRegion).toBe('eu-paris-1');
    expect(() => readDeployment({}, paris)).toThrow(/DEPLOY_GENAI_REGION is missing[\s\S]*known are .*us-chicago-1/);
    expect(() => readDeployment({}, { ...paris, DEPLOY_GENAI_REGION: 'us-gov-ashburn-1' })).toThrow(
      'DEPLOY_GENAI_REGION is us-gov-ashburn-1, which the functions do not take',
    );
    expect(readDeployment({}, { ...paris, DEPLOY_ANSWER_MODEL: 'extractive' }).answerModel).toBe('');
  });

  it('are refused all at once, whether they stand in the file or the environment', () => {
    const faults = () => readDeployment({ name: 'X', memoryMb: 3 as never }, { ...ENV, DEPLOY_POOL_MAX: 'x' });
    expect(faults).toThrow(
      /3 faults[\s\S]*name in deployment.ts must[\s\S]*memoryMb in deployment.ts must[\s\S]*DEPLOY_POOL_MAX must/,
    );
  });

  it.each([
    ['10.0.0.0/24', true],
    ['203.0.113.7', true],
    ['203.0.113.7/24', false],
    ['1..2.3', false],
    ['256.1.1.1', false],
  ])('take the range %s: %s', (range, isTaken) => {
    expect(faultsOf({ DEPLOY_OPERATOR_CIDRS: range }).length).toBe(isTaken ? 0 : 1);
  });

  it('are no expressions either where they come from the account', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'oci-rag-config-')), 'config');
    await writeFile(file, '[DEFAULT]\ntenancy=${file("/etc/hostname")}\nregion=x\n');
    const { DEPLOY_TENANCY: _, DEPLOY_REGION: __, ...others } = ENV;
    const faults = () => readDeployment({}, { ...others, OCI_CLI_CONFIG_FILE: file });
    expect(faults).toThrow(/tenancy must be an OCID[\s\S]*region must be a region identifier/);
    expect(() => readDeployment({ profile: 'TYPO' }, { ...others, OCI_CLI_CONFIG_FILE: file })).toThrow(
      'no profile [TYPO]',
    );
    expect(() => readDeployment({ nmae: 'x' } as never, ENV)).toThrow('nmae in deployment.ts is not a setting');
  });

  it('give a second deployment a database and a stack of its own', async () => {
    const { resource, terraform } = await synth({ ...ENV, DEPLOY_NAME: 'beta-2' });
    expect(resource.oci_database_autonomous_database?.database?.db_name).toBe('BETA2');
    expect(terraform.backend).toEqual({ local: { path: '../../../terraform.beta-2.tfstate' } });
    const emails = { ...ENV, DEPLOY_OPERATOR_EMAILS: 'a.b@x.com,a-b@x.com,a.b@x.com' };
    expect(Object.keys((await synth(emails)).resource.oci_ons_subscription ?? {}).length).toBe(3);
  });

  it('are overridden by the environment', () => {
    expect(readDeployment({ poolMax: 3 }, ENV).poolMax).toBe(3);
    expect(readDeployment({ poolMax: 3 }, { ...ENV, DEPLOY_POOL_MAX: '4' }).poolMax).toBe(4);
    expect(readDeployment({ operatorCidrs: ['10.0.0.1'] }, ENV).operatorCidrs).toEqual(['10.0.0.1']);
  });

  it('take tenancy and region from the profile of the OCI configuration, and say what is missing', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'oci-rag-config-')), 'config');
    await writeFile(
      file,
      '[DEFAULT]\ntenancy=ocid1.tenancy.oc1..a\nregion=us-ashburn-1\n[EU]\nregion = eu-paris-1\r\n',
    );
    const env = { HOME: '/nonexistent', OCI_CLI_CONFIG_FILE: file };
    expect(readDeployment({}, env)).toMatchObject({ tenancyId: 'ocid1.tenancy.oc1..a', region: 'us-ashburn-1' });
    expect(readDeployment({ profile: 'EU' }, env)).toMatchObject({
      tenancyId: 'ocid1.tenancy.oc1..a',
      compartmentId: 'ocid1.tenancy.oc1..a',
      region: 'eu-paris-1',
    });
    const nowhere = readDeployment({}, { HOME: '/nonexistent' });
    expect(nowhere.missing.map(({ what }) => what.split(':')[0])).toEqual([
      'the tenancy',
      'the region',
      'the token issuer',
      'the audience',
      'the issuer’s public keys',
    ]);
  });
});

describe('what would leave Always Free', () => {
  it.each([
    ['DEPLOY_DATABASE_ECPUS', '4', 'oci_database_autonomous_database.database: compute_count is 4, free are 2 ECPUs'],
    ['DEPLOY_DATABASE_STORAGE_GB', '40', 'oci_database_autonomous_database.database: storage is 40 GB, free are 20'],
    ['DEPLOY_DATABASE_AUTO_SCALING', 'true', 'oci_database_autonomous_database.database: is_auto_scaling_enabled'],
    [
      'DEPLOY_DATABASE_PRIVATE_ENDPOINT',
      'true',
      'oci_database_autonomous_database.database: it has a private endpoint',
    ],
    ['DEPLOY_PRIVATE_VAULT', 'true', 'oci_kms_vault.vault: vault_type is VIRTUAL_PRIVATE'],
    ['DEPLOY_PROVISIONED_CONCURRENCY', '40', 'provisioned_concurrency_config is billed while it idles'],
    [
      'DEPLOY_POOL_MAX',
      '4',
      '12 function instances with 4 sessions each are 48 sessions, and an Always Free database has 30',
    ],
    ['DEPLOY_MAX_INSTANCES', '16', '16 function instances with 2 sessions each are 32 sessions'],
    ['DEPLOY_HOME_REGION', 'us-phoenix-1', 'Always Free databases are in the home region alone, us-phoenix-1'],
  ])('%s=%s fails by name, and is done where Always Free is not asked for', async (name, value, fault) => {
    await expect(synth({ ...ENV, [name]: value })).rejects.toThrow(`not Always Free: `);
    await expect(synth({ ...ENV, [name]: value })).rejects.toThrow(fault);
    await synth({ ...ENV, [name]: value, DEPLOY_ALWAYS_FREE: 'false' });
  });

  it.each([
    ['oci_kms_key', { protection_mode: 'HSM' }, 'protection_mode is HSM'],
    ['oci_apm_apm_domain', {}, 'it is not known to be free'],
    ['oci_core_instance', {}, 'it is not known to be free'],
    [
      'oci_database_autonomous_database',
      { is_free_tier: true, compute_count: 2, data_storage_size_in_tbs: 1 },
      'storage is',
    ],
  ])('%s %o is told', (type, is, fault) => {
    const faults = freeTierFaults({ [type]: { x: is } }, MODEST);
    expect(faults.join('\n')).toContain(`${type}.x: ${fault}`);
  });

  it('is Generative AI that no setting asks for', () => {
    const policy = { statements: ['Allow dynamic-group x to use generative-ai-chat in compartment id y'] };
    const resources = { oci_identity_policy: { ask: policy } };
    expect(freeTierFaults(resources, MODEST)).toEqual([
      'oci_identity_policy.ask: it allows Generative AI, which is not free and which no setting asks for',
    ]);
    expect(freeTierFaults(resources, { ...MODEST, generativeAi: true })).toEqual([]);
  });

  it('is a third database', async () => {
    const { resource } = await synth();
    const database = resource.oci_database_autonomous_database?.database ?? {};
    const three = { oci_database_autonomous_database: { a: database, b: database, c: database } };
    expect(freeTierFaults(three, MODEST)).toEqual(['there are 3 databases, free are 2']);
  });

  it('is nothing of the default deployment', async () => {
    const { resource } = await synth();
    expect(freeTierFaults(resource, { poolMax: 2, maxInstances: 12, generativeAi: false })).toEqual([]);
  });
});
