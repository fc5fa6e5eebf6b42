import { DataOciObjectstorageNamespace } from '@cdktf/provider-oci/data-oci-objectstorage-namespace';
import { OciProvider } from '@cdktf/provider-oci/provider';
import { Alarms } from './constructs/alarms.ts';
import { Bootstrap } from './constructs/bootstrap.ts';
import { Documents } from './constructs/buckets.ts';
import { Budget } from './constructs/budget.ts';
import { Database } from './constructs/database.ts';
import { DocumentEvents } from './constructs/document-events.ts';
import { Application, RagFunction } from './constructs/functions.ts';
import { Gateway } from './constructs/gateway.ts';
import { FunctionImage, type ImageSource } from './constructs/image.ts';
import { ModelBundle, type ModelFile } from './constructs/model-bundle.ts';
import { Network } from './constructs/network.ts';
import { Observability } from './constructs/observability.ts';
import { Policies } from './constructs/policies.ts';
import { Schedule } from './constructs/schedule.ts';
import { Secrets } from './constructs/secrets.ts';
import { type Construct, TerraformStack } from './framework.ts';
import { answerSettings, chatsInOci, embedsInOci, usesGenerativeAi } from './models.ts';
import { outputs } from './outputs.ts';
import type { ResolvedDeployment } from './settings.ts';
import { keepState } from './state.ts';

export interface StackInputs {
  deployment: ResolvedDeployment;
  image: ImageSource;
  model: ModelFile | null;
  /** What stands for the content of the migrations. */
  migrations: string;
}

/** The database, as bootstrap finds it by name. */
const EMBEDDING_MODEL = 'ALL_MINILM_L12_V2';
const DETACHED_DRAIN_SECONDS = 300;

export class RagStack extends TerraformStack {
  constructor(scope: Construct, id: string, { deployment, image, model, migrations }: StackInputs) {
    super(scope, id);
    const { name, compartmentId, tenancyId, region, homeRegion, preventDestroy } = deployment;
    keepState(this, deployment);
    const profile = deployment.profile === '' ? {} : { configFileProfile: deployment.profile };
    // The tenancy's own tags would be taken for changes.
    const ignoreDefinedTags = ['Oracle-Tags.CreatedBy', 'Oracle-Tags.CreatedOn'];
    new OciProvider(this, 'oci', { region, ignoreDefinedTags, ...profile });
    const inHomeRegion =
      homeRegion === region
        ? {}
        : {
            provider: new OciProvider(this, 'oci-home', {
              alias: 'home',
              region: homeRegion,
              ignoreDefinedTags,
              ...profile,
            }),
          };
    const { namespace } = new DataOciObjectstorageNamespace(this, 'namespace', { compartmentId });
    const policies = new Policies(this, 'policies', { name, compartmentId, tenancyId, inHomeRegion });

    const network = new Network(this, 'network', {
      name,
      compartmentId,
      holdsDatabase: deployment.databasePrivateEndpoint,
    });
    const secrets = new Secrets(this, 'secrets', {
      name,
      compartmentId,
      privateVault: deployment.privateVault,
      preventDestroy,
    });
    // It reads its own ADMIN password.
    const databases = policies.group(
      'database',
      `The databases of ${name}`,
      `ALL {resource.type = 'autonomousdatabase', resource.compartment.id = '${compartmentId}'}`,
    );
    policies.grant('database', databases, 'read secret-bundles', `target.secret.id = '${secrets.adminId}'`);
    // It asks by itself for those who call the package RAG.
    if (chatsInOci(deployment)) policies.grant('database', databases, 'use generative-ai-chat');
    const database = new Database(this, 'database', {
      name,
      compartmentId,
      adminSecretId: secrets.adminId,
      allowedAddresses: [network.natAddress, ...deployment.operatorCidrs],
      settings: deployment,
      privateSubnetId: deployment.databasePrivateEndpoint ? network.functionsSubnetId : null,
      readsSecretBy: policies.make('database'),
    });
    const documents = new Documents(this, 'documents', { name, compartmentId, namespace, preventDestroy });
    if (deployment.keep === 'data') return;

    const bundle = new ModelBundle(this, 'model', {
      name,
      compartmentId,
      namespace,
      region,
      file: model,
      linkHours: deployment.modelLinkHours,
      linkNumber: deployment.modelLink,
    });
    const functionImage = new FunctionImage(this, 'image', { name, compartmentId, namespace, region, source: image });
    const metricsNamespace = `rag_${name.replaceAll('-', '_')}`;
    const application = new Application(this, 'application', {
      name,
      compartmentId,
      subnetId: network.functionsSubnetId,
      config: {
        RAG_DATABASE: `oracle:${database.connectDescriptor}`,
        RAG_DATABASE_PASSWORD: `vault:${secrets.runtimeId}`,
        RAG_DATABASE_POOL_MAX: String(deployment.poolMax),
        RAG_STORAGE: `oci:${namespace}/${documents.bucketName}`,
        RAG_EMBEDDING_URL: 'database',
        RAG_EMBEDDING_MODEL: EMBEDDING_MODEL,
        RAG_AUTH_ISSUER: deployment.authIssuer,
        RAG_AUTH_AUDIENCE: deployment.authAudience,
        RAG_AUTH_JWKS: deployment.authJwks,
        RAG_AUTH_EMPLOYEE_CLAIM: deployment.authEmployeeClaim,
        RAG_MIGRATIONS: '/function/migrations',
        RAG_METRICS: `oci:${metricsNamespace}:${compartmentId}`,
        ...deployment.functionSettings,
      },
    });
    const common = { application, image: functionImage, memoryMb: deployment.memoryMb, policies };
    const drain = new RagFunction(this, 'drain', {
      ...common,
      function: 'drain',
      detachedSeconds: DETACHED_DRAIN_SECONDS,
      config: { RAG_EMBEDDING_MODEL_SOURCE_EXPIRES: bundle.linkExpires },
    });
    const nudge = { RAG_NUDGE_URL: `oci:${drain.invokeEndpoint}/${drain.functionId}` };
    const answers = answerSettings(deployment);
    const ask = new RagFunction(this, 'ask', {
      ...common,
      function: 'ask',
      config: answers,
      provisioned: deployment.provisionedConcurrency,
    });
    const ingest = new RagFunction(this, 'ingest', { ...common, function: 'ingest', config: nudge });
    const bootstrap = new RagFunction(this, 'bootstrap', {
      ...common,
      function: 'bootstrap',
      config: {
        ...nudge,
        ...answers,
        RAG_DATABASE_ADMIN_USER: 'ADMIN',
        RAG_DATABASE_ADMIN_PASSWORD: `vault:${secrets.adminId}`,
        RAG_DATABASE_OWNER_PASSWORD: `vault:${secrets.ownerId}`,
      },
    });

    const secret = (...ids: string[]) =>
      ids.length === 1
        ? `target.secret.id = '${ids[0]}'`
        : `any {${ids.map((secretId) => `target.secret.id = '${secretId}'`).join(', ')}}`;
    const keyId = deployment.answerApiKeySecret;
    ask.grant('read secret-bundles', secret(secrets.runtimeId, ...(keyId === '' ? [] : [keyId])));
    for (const fn of [ingest, drain]) fn.grant('read secret-bundles', secret(secrets.runtimeId));
    bootstrap.grant('read secret-bundles', secret(secrets.adminId, secrets.ownerId, secrets.runtimeId));
    // Drain repairs what events have missed; ask gives out files as they came.
    const inDocuments = `target.bucket.name = '${documents.bucketName}'`;
    for (const fn of [ingest, drain]) fn.grant('manage objects', inDocuments);
    ask.grant('read objects', inDocuments);
    for (const fn of [ingest, bootstrap]) fn.grant('use fn-invocation', `target.function.id = '${drain.functionId}'`);
    // Ask tells of one thing, that its model is about to be retired.
    for (const fn of deployment.answerModel === '' ? [drain] : [drain, ask]) {
      fn.grant('use metrics', `target.metrics.namespace = '${metricsNamespace}'`);
    }
    if (chatsInOci(deployment)) ask.grant('use generative-ai-chat');
    if (embedsInOci(deployment)) {
      for (const fn of [ask, drain]) fn.grant('use generative-ai-text-embedding');
    }
    if (usesGenerativeAi(deployment)) bootstrap.grant('inspect generative-ai-model');
    policies.grant(
      'gateway',
      'any-user',
      'use fn-invocation',
      `ALL {request.principal.type = 'ApiGateway', request.resource.compartment.id = '${compartmentId}'}`,
    );
    policies.grant(
      'document-events',
      'any-user',
      'use fn-invocation',
      `ALL {request.principal.type = 'eventrule', request.principal.compartment.id = '${compartmentId}'}`,
    );
    policies.grant('object-storage', `service objectstorage-${region}`, 'manage object-family');
    const granted = policies.makeAll();

    const bootstrapped = new Bootstrap(this, 'bootstrapped', {
      function: bootstrap,
      triggers: {
        migrations,
        model: bundle.digest,
        image: functionImage.digest ?? functionImage.image,
        database: database.databaseId,
        secrets: [secrets.adminId, secrets.ownerId, secrets.runtimeId].join(' '),
        // It checks the models, and writes what those who call from SQL go by.
        settings: JSON.stringify({ ...answers, ...deployment.functionSettings }),
      },
      modelSource: model === null ? null : bundle.sourceUrl,
      after: granted,
    });
    const after = [bootstrapped.resource];
    // Minutes after its policy: the service refuses it until it knows that it may.
    documents.expireVersions(after);
    new DocumentEvents(this, 'document-events', {
      name,
      compartmentId,
      bucketName: documents.bucketName,
      ingestId: ingest.functionId,
      after,
    });
    new Schedule(this, 'schedule', {
      name,
      compartmentId,
      databaseId: database.databaseId,
      drainId: drain.functionId,
      after,
    });
    new Alarms(this, 'alarms', {
      name,
      compartmentId,
      emails: deployment.operatorEmails,
      applicationId: application.applicationId,
      databaseId: database.databaseId,
      metricsNamespace,
    });
    const gateway = new Gateway(this, 'gateway', {
      name,
      compartmentId,
      subnetId: network.gatewaySubnetId,
      functions: { ask: ask.functionId, ingest: ingest.functionId },
      policies: {
        issuer: deployment.authIssuer,
        audience: deployment.authAudience,
        jwks: deployment.authJwks,
        requestsPerSecond: deployment.requestsPerSecond,
        corsOrigins: deployment.corsOrigins,
      },
      after,
    });
    new Observability(this, 'observability', {
      name,
      compartmentId,
      retentionDays: deployment.logRetentionDays,
      applicationId: application.applicationId,
      deploymentId: gateway.deploymentId,
    });
    if (deployment.monthlyBudget > 0) {
      new Budget(this, 'budget', {
        name,
        tenancyId,
        compartmentId,
        amount: deployment.monthlyBudget,
        emails: deployment.operatorEmails,
        inHomeRegion,
      });
    }
    outputs(this, {
      deployment,
      url: gateway.url,
      namespace,
      documentsBucket: documents.bucketName,
      modelBucket: bundle.bucketName,
      databaseId: database.databaseId,
      applicationId: application.applicationId,
    });
  }
}
