import { mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRequest } from '../../functions/bootstrap/request.ts';
import { readConfig } from '../../functions/config.ts';
import { routes } from '../../functions/routes.ts';
import { ENV, only, type Synthesized, synth } from '../support/synth.ts';

let stack: Synthesized;
beforeAll(async () => {
  stack = await synth();
});

const all = (type: string) => Object.values(stack.resource[type] ?? {});

/** All that is granted, in names that can be read. */
const rights = (of: Synthesized) =>
  Object.values(of.resource.oci_identity_policy ?? {})
    .flatMap((policy) => policy.statements as string[])
    .map((statement) =>
      statement
        .replaceAll('compartment id ocid1.compartment.oc1..compartment', 'C')
        .replace(/\$\{oci_identity_dynamic_group\.policies_(\w+?)-group\w*\.name\}/, '$1')
        .replace(/\$\{oci_vault_secret\.secret_(\w+)\.id\}/g, '$1')
        .replace(/\$\{oci_functions_function\.(\w+?)_\w+\.id\}/g, '$1')
        .replace(/\$\{oci_objectstorage_bucket\.(\w+)\.name\}/g, '$1'),
    )
    .sort();

/** A folder with what stands for the model's file. */
async function modelFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oci-rag-model-'));
  await writeFile(join(folder, 'all_MiniLM_L12_v2.onnx'), 'onnx');
  return folder;
}

/** Expressions replaced by what Terraform makes of them. */
const resolve = (text: string) =>
  text
    .replace(/\$\{\[for p in .*?\]\[0\]\}/g, '(description=(address=(protocol=tcps)(port=1521)(host=adb.example.com)))')
    .replace(
      /\$\{oci_functions_function\.\w+\.invoke_endpoint\}/g,
      'https://x.eu-frankfurt-1.functions.oci.oraclecloud.com',
    )
    .replace(/\$\{oci_functions_function\.\w+\.id\}/g, 'ocid1.fnfunc.oc1.eu-frankfurt-1.x')
    .replace(/\$\{oci_vault_secret\.(\w+)\.id\}/g, 'ocid1.vaultsecret.oc1.eu-frankfurt-1.$1')
    .replace(/\$\{data\.oci_objectstorage_namespace\.\w+\.namespace\}/g, 'tenancynamespace')
    .replace(/\$\{oci_objectstorage_bucket\.(\w+)\.name\}/g, 'oci-rag-$1')
    .replace(/\$\{oci_objectstorage_preauthrequest\.\w+\.time_expires\}/g, '2026-12-03T00:00:00Z');

/** What a function is told, as it sees it. */
const config = (of: Synthesized, name: string): Record<string, string> => {
  const told = {
    ...(only(of, 'oci_functions_application').config as Record<string, string>),
    ...(only(of, 'oci_functions_function', `${name}_`).config as Record<string, string>),
  };
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [key, resolve(value)]));
};

describe('the API Gateway', () => {
  const api = () => only(stack, 'oci_apigateway_deployment') as never as { path_prefix: string; specification: Spec };
  interface Spec {
    request_policies: Record<string, Record<string, unknown>>;
    routes: {
      path: string;
      methods: string[];
      backend: { type: string; function_id: string };
      request_policies: { authorization: { type: string }; header_transformations?: unknown };
    }[];
  }

  it('reaches every route of the table, each by its function and for its callers, and none besides', () => {
    const { path_prefix, specification } = api();
    const made = specification.routes.flatMap(({ path, methods, backend, request_policies }) =>
      methods.map((method) => ({
        call: `${method} ${`${path_prefix}${path}`.replace('//', '/')}`,
        function: /oci_functions_function\.(\w+?)_/.exec(backend.function_id)?.[1],
        isPublic: request_policies.authorization.type === 'ANONYMOUS',
      })),
    );
    const wanted = routes.map((route) => ({
      call: `${route.method} ${route.path}`,
      function: route.function as string,
      isPublic: route.access === 'public',
    }));
    const byCall = (a: { call: string }, b: { call: string }) => a.call.localeCompare(b.call);
    expect(made.sort(byCall)).toEqual(wanted.sort(byCall));
    expect(specification.routes.length).toBeLessThanOrEqual(50);
  });

  it('verifies tokens by the issuer’s published keys, issuer and audience, and passes them on', () => {
    const { specification } = api();
    expect(specification.request_policies.authentication).toMatchObject({
      type: 'JWT_AUTHENTICATION',
      token_header: 'Authorization',
      token_auth_scheme: 'Bearer',
      issuers: [ENV.DEPLOY_AUTH_ISSUER],
      audiences: [ENV.DEPLOY_AUTH_AUDIENCE],
      public_keys: { type: 'REMOTE_JWKS', uri: ENV.DEPLOY_AUTH_JWKS },
      is_anonymous_access_allowed: true,
    });
    expect(specification.routes.every((route) => route.request_policies.header_transformations === undefined)).toBe(
      true,
    );
  });

  it('limits what one client sends, and lets web pages call only where they are named', async () => {
    const { request_policies } = api().specification;
    expect(request_policies.rate_limiting).toEqual({ rate_key: 'CLIENT_IP', rate_in_requests_per_second: 10 });
    expect(request_policies.cors).toBeUndefined();
    const open = await synth({ ...ENV, DEPLOY_CORS_ORIGINS: 'https://a.example.com, https://b.example.com' });
    const { specification } = only(open, 'oci_apigateway_deployment') as never as { specification: Spec };
    expect(specification.request_policies.cors).toMatchObject({
      allowed_origins: ['https://a.example.com', 'https://b.example.com'],
      allowed_headers: ['Authorization', 'Content-Type'],
      allowed_methods: ['PUT', 'GET', 'DELETE', 'POST'],
    });
  });
});

describe('secrets', () => {
  it('are made by the Vault, and stand nowhere in what Terraform reads', () => {
    for (const secret of all('oci_vault_secret')) {
      expect(secret).toMatchObject({
        enable_auto_generation: true,
        secret_generation_context: { generation_type: 'PASSPHRASE', generation_template: 'DBAAS_DEFAULT_PASSWORD' },
      });
      expect(secret.secret_content).toBeUndefined();
    }
    expect(stack.text).not.toMatch(/admin_password|secret_content|secretsbundle|secretbundle|wallet|auth_token/);
    expect(only(stack, 'oci_database_autonomous_database').secret_id).toBe('${oci_vault_secret.secret_admin.id}');
  });

  it('are not taken from the environment of the one who deploys', async () => {
    const canary = 'canary-7f3a';
    const names = [
      'TF_VAR_private_key_password',
      'OCI_CLI_KEY_CONTENT',
      'DOCKER_REGISTRY_PASS',
      'RAG_DATABASE_PASSWORD',
    ];
    const { text } = await synth({ ...ENV, ...Object.fromEntries(names.map((name) => [name, canary])) });
    expect(text).not.toContain(canary);
  });

  it('reach functions as OCIDs, and the link to the model reaches bootstrap’s call alone', () => {
    for (const config of [...all('oci_functions_application'), ...all('oci_functions_function')].map(
      (is) => is.config,
    )) {
      expect(JSON.stringify(config)).not.toMatch(/access_uri|PASSWORD":"(?!vault:\$\{oci_vault_secret)/);
    }
    expect(stack.text.match(/access_uri/g)).toBeNull();
    expect(JSON.stringify(stack.output)).not.toMatch(/access_uri|secret_|preauth/);
  });
});

describe('the functions', () => {
  it.each(['ask', 'ingest', 'drain', 'bootstrap'])('%s is told settings that it accepts, within 4 KB', (name) => {
    const { FUNCTION_ENTRY, ...settings } = config(stack, name);
    expect(FUNCTION_ENTRY).toBe(name);
    expect(readConfig(settings).RAG_STORAGE).toBe('oci:tenancynamespace/oci-rag-documents');
    expect(JSON.stringify(settings)).not.toContain('${');
    const bytes = Object.entries(settings).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
    // A descriptor has about 500 characters, four times what stands for it here.
    expect(bytes + 500).toBeLessThan(4096);
  });

  it('have the time that the route table says, and a drain more when it is detached', () => {
    const times = ['ask', 'ingest', 'drain', 'bootstrap'].map((name) => {
      const is = only(stack, 'oci_functions_function', `${name}_`);
      return [is.timeout_in_seconds, is.detached_mode_timeout_in_seconds, is.memory_in_mbs];
    });
    expect(times).toEqual([
      [30, undefined, '1024'],
      [120, undefined, '1024'],
      [120, 300, '1024'],
      [300, undefined, '1024'],
    ]);
  });

  it('take every setting from the deployment that is not the deployment’s own', async () => {
    const settings = {
      RAG_ANSWER_MAX_TOKENS: '400',
      RAG_ANSWER_PROMPT_TOKENS: '12000',
      RAG_RETRIEVAL_VECTOR_WEIGHT: '0.3',
      RAG_RETRIEVAL_WORD_COVERAGE: '2',
      RAG_RETRIEVAL_MAX_PER_SOURCE: '2',
      RAG_EMBEDDING_LANGUAGES: 'any',
      RAG_LOG_TEXT: 'false',
      RAG_LOG_RETENTION_DAYS: '30',
      RAG_LIMIT_MODEL_CALLS_PER_DAY: '500',
      RAG_LIMIT_MODEL_CALLS_PER_PERSON: '20',
      RAG_STORAGE_MAX_BYTES: '10000000',
      RAG_STORAGE_RECONCILE_MINUTES: '15',
      RAG_DOCUMENT_SECTION_SIZE: '1000',
    };
    const of = await synth(ENV, { functionSettings: settings });
    for (const name of ['ask', 'ingest', 'drain', 'bootstrap']) expect(config(of, name)).toMatchObject(settings);
  });

  it('take settings of their own from the deployment, and refuse those that the deployment makes', async () => {
    const { resource } = await synth({
      ...ENV,
      DEPLOY_FUNCTION_SETTINGS: 'RAG_RETRIEVAL_CUTOFF=0.7,RAG_RETRIEVAL_TOP_K=4',
    });
    const [application] = Object.values(resource.oci_functions_application ?? {});
    expect(application?.config).toMatchObject({ RAG_RETRIEVAL_CUTOFF: '0.7', RAG_RETRIEVAL_TOP_K: '4' });
    const wrong = { ...ENV, DEPLOY_FUNCTION_SETTINGS: 'RAG_DATABASE_PASSWORD=x' };
    await expect(synth(wrong)).rejects.toThrow(/RAG_DATABASE_PASSWORD" is set by the deployment/);
  });
});

describe('rights', () => {
  it('are these, and no others', () => {
    expect(rights(stack)).toEqual(
      [
        "Allow dynamic-group ask to read secret-bundles in C where target.secret.id = 'runtime'",
        "Allow dynamic-group ask to read objects in C where target.bucket.name = 'documents'",
        "Allow dynamic-group ingest to manage objects in C where target.bucket.name = 'documents'",
        "Allow dynamic-group drain to manage objects in C where target.bucket.name = 'documents'",
        "Allow dynamic-group ingest to read secret-bundles in C where target.secret.id = 'runtime'",
        "Allow dynamic-group ingest to use fn-invocation in C where target.function.id = 'drain'",
        "Allow dynamic-group drain to read secret-bundles in C where target.secret.id = 'runtime'",
        "Allow dynamic-group drain to use metrics in C where target.metrics.namespace = 'rag_oci_rag'",
        "Allow dynamic-group bootstrap to read secret-bundles in C where any {target.secret.id = 'admin', target.secret.id = 'owner', target.secret.id = 'runtime'}",
        "Allow dynamic-group bootstrap to use fn-invocation in C where target.function.id = 'drain'",
        "Allow dynamic-group database to read secret-bundles in C where target.secret.id = 'admin'",
        "Allow any-user to use fn-invocation in C where ALL {request.principal.type = 'ApiGateway', request.resource.compartment.id = 'ocid1.compartment.oc1..compartment'}",
        "Allow any-user to use fn-invocation in C where ALL {request.principal.type = 'eventrule', request.principal.compartment.id = 'ocid1.compartment.oc1..compartment'}",
        'Allow service objectstorage-eu-frankfurt-1 to manage object-family in C',
      ].sort(),
    );
  });

  it('are each function’s alone: its group has it as its one member', () => {
    for (const name of ['ask', 'ingest', 'drain', 'bootstrap']) {
      const group = only(stack, 'oci_identity_dynamic_group', `policies_${name}-`);
      expect(group.matching_rule).toMatch(
        new RegExp(
          `^ALL \\{resource\\.type = 'fnfunc', resource\\.id = '\\$\\{oci_functions_function\\.${name}_\\w+\\.id\\}'\\}$`,
        ),
      );
      expect(group.compartment_id).toBe(ENV.DEPLOY_TENANCY);
    }
  });

  it('are made in the home region where the deployment is in another', async () => {
    const away = await synth({ ...ENV, DEPLOY_ALWAYS_FREE: 'false', DEPLOY_HOME_REGION: 'us-phoenix-1' });
    expect(away.provider.oci).toMatchObject([{ region: 'eu-frankfurt-1' }, { alias: 'home', region: 'us-phoenix-1' }]);
    for (const type of ['oci_identity_dynamic_group', 'oci_identity_policy']) {
      for (const is of Object.values(away.resource[type] ?? {})) expect(is.provider).toBe('oci.home');
    }
  });
});

describe('models that are asked over the network', () => {
  const FUNCTIONS = ['ask', 'ingest', 'drain', 'bootstrap'];
  const ASKED = /^RAG_(ANSWER|EMBEDDING_URL)/;
  const told = (of: Synthesized) =>
    FUNCTIONS.map((name) => {
      const { FUNCTION_ENTRY: _, ...settings } = config(of, name);
      readConfig(settings);
      return Object.fromEntries(Object.entries(settings).filter(([key]) => ASKED.test(key)));
    });
  const granted = (of: Synthesized) => rights(of).filter((statement) => !rights(stack).includes(statement));
  const NONE = { RAG_EMBEDDING_URL: 'database' };
  const METRICS = "Allow dynamic-group ask to use metrics in C where target.metrics.namespace = 'rag_oci_rag'";

  it('are none where answers are quoted', async () => {
    expect(told(stack)).toEqual([NONE, NONE, NONE, NONE]);
    expect(stack.text).not.toMatch(/generative/i);
    expect((await synth({ ...ENV, DEPLOY_ANSWER_MODEL: 'extractive' })).text).toBe(stack.text);
  });

  it('answer in Generative AI: ask and the database may chat, and bootstrap looks whether the model is there', async () => {
    const of = await synth({
      ...ENV,
      DEPLOY_ANSWER_MODEL: 'cohere.command-a-03-2025',
      DEPLOY_GENAI_REGION: 'us-chicago-1',
    });
    const answers = {
      ...NONE,
      RAG_ANSWER_MODEL: 'oci:cohere.command-a-03-2025',
      RAG_ANSWER_REGION: 'us-chicago-1',
      RAG_ANSWER_COMPARTMENT: ENV.DEPLOY_COMPARTMENT,
    };
    expect(told(of)).toEqual([answers, NONE, NONE, answers]);
    expect(granted(of)).toEqual([
      'Allow dynamic-group ask to use generative-ai-chat in C',
      METRICS,
      'Allow dynamic-group bootstrap to inspect generative-ai-model in C',
      'Allow dynamic-group database to use generative-ai-chat in C',
    ]);
  });

  it('answer elsewhere, by a key that ask alone reads from the Vault', async () => {
    const key = 'ocid1.vaultsecret.oc1.eu-frankfurt-1.key';
    const of = await synth({
      ...ENV,
      DEPLOY_ANSWER_MODEL: 'openai:meta/llama:free',
      DEPLOY_ANSWER_URL: 'https://models.example.com/v1',
      DEPLOY_ANSWER_API_KEY_SECRET: key,
    });
    const answers = {
      ...NONE,
      RAG_ANSWER_MODEL: 'openai:meta/llama:free',
      RAG_ANSWER_URL: 'https://models.example.com/v1',
      RAG_ANSWER_API_KEY: `vault:${key}`,
    };
    expect(told(of)).toEqual([answers, NONE, NONE, answers]);
    expect(granted(of)).toEqual([
      `Allow dynamic-group ask to read secret-bundles in C where any {target.secret.id = 'runtime', target.secret.id = '${key}'}`,
      METRICS,
    ]);
  });

  it('hear of the compartment at OCI alone', async () => {
    const at = async (host: string) => {
      const env = { ...ENV, DEPLOY_ANSWER_MODEL: 'openai:x', DEPLOY_ANSWER_URL: `https://${host}/openai/v1` };
      return told(await synth(env))[0]?.RAG_ANSWER_COMPARTMENT;
    };
    expect(await at('inference.generativeai.us-chicago-1.oci.oraclecloud.com')).toBe(ENV.DEPLOY_COMPARTMENT);
    expect(await at('oraclecloud.com.example.com')).toBeUndefined();
  });

  it.each([
    ['', 'RAG_EMBEDDING_MODEL=cohere.embed-v4.0'],
    ['NEXT_', 'RAG_EMBEDDING_NEXT_MODEL=cohere.embed-v4.0'],
  ])('embed in Generative AI as RAG_EMBEDDING_%sURL says: ask and drain may ask for it', async (next, model) => {
    const url = `oci:us-chicago-1:${ENV.DEPLOY_COMPARTMENT}`;
    const settings = `${model},RAG_EMBEDDING_${next}URL=${url},RAG_EMBEDDING_${next}DIMENSION=1024`;
    const of = await synth({ ...ENV, DEPLOY_FUNCTION_SETTINGS: settings });
    for (const name of FUNCTIONS) expect(config(of, name)).toMatchObject({ [`RAG_EMBEDDING_${next}URL`]: url });
    expect(granted(of)).toEqual([
      'Allow dynamic-group ask to use generative-ai-text-embedding in C',
      'Allow dynamic-group bootstrap to inspect generative-ai-model in C',
      'Allow dynamic-group drain to use generative-ai-text-embedding in C',
    ]);
    told(of);
  });

  it('are reached from the functions through the NAT gateway, on port 443, wherever they are', () => {
    const subnet = only(stack, 'oci_core_subnet', 'network_functions-subnet');
    const named = (reference: unknown) => String(reference).split('.')[1] ?? '';
    const routes_ = only(stack, 'oci_core_route_table', named(subnet.route_table_id));
    expect(routes_.route_rules).toMatchObject([{ destination: '0.0.0.0/0' }]);
    expect(JSON.stringify(routes_.route_rules)).toContain('oci_core_nat_gateway');
    const [list] = subnet.security_list_ids as string[];
    expect(only(stack, 'oci_core_security_list', named(list)).egress_security_rules).toContainEqual(
      expect.objectContaining({ destination: '0.0.0.0/0', protocol: '6', tcp_options: { min: 443, max: 443 } }),
    );
  });
});

describe('bootstrap', () => {
  const invocation = (of: Synthesized) => only(of, 'oci_functions_invoke_function');
  const body = (of: Synthesized) =>
    JSON.parse(String(invocation(of).invoke_function_body).replace(/\$\{sensitive\(.*\)\}/, 'hidden'));

  it('is invoked after all rights are granted, and before anything calls the functions', () => {
    const { depends_on } = invocation(stack) as { depends_on: string[] };
    const policies = Object.keys(stack.resource.oci_identity_policy ?? {}).map((id) => `oci_identity_policy.${id}`);
    expect(depends_on.sort()).toEqual(policies.sort());
    const [self] = Object.keys(stack.resource.oci_functions_invoke_function ?? {});
    for (const type of [
      'oci_apigateway_deployment',
      'oci_ons_subscription',
      'oci_objectstorage_object_lifecycle_policy',
      'oci_events_rule',
    ]) {
      expect(only(stack, type).depends_on).toContain(`oci_functions_invoke_function.${self}`);
    }
  });

  it('runs again when the image, the model or a setting is another, and not otherwise', async () => {
    const again = await synth();
    expect(again.text).toBe(stack.text);
    const image = await synth({ ...ENV, FUNCTION_IMAGE: 'eu-frankfurt-1.ocir.io/space/oci-rag:2' });
    expect(body(image)).toEqual({ ...body(stack), image: 'eu-frankfurt-1.ocir.io/space/oci-rag:2' });
    expect(body(stack).migrations).toMatch(/^[0-9a-f]{12}$/);
    const settings = 'RAG_LIMIT_MODEL_CALLS_PER_DAY=500';
    const limited = body(await synth({ ...ENV, DEPLOY_FUNCTION_SETTINGS: settings }));
    expect(limited).toEqual({ ...body(stack), settings: '{"RAG_LIMIT_MODEL_CALLS_PER_DAY":"500"}' });
    for (const sent of [body(stack), limited])
      expect(() => readRequest(Buffer.from(JSON.stringify(sent)))).not.toThrow();

    const folder = await mkdtemp(join(tmpdir(), 'oci-rag-model-'));
    const file = join(folder, 'all_MiniLM_L12_v2.onnx');
    await writeFile(file, 'half');
    expect((await synth(ENV, {}, '/nonexistent')).missing).toHaveLength(1);
    const one = await synth(ENV, {}, folder);
    await utimes(file, 1, 1);
    expect((await synth(ENV, {}, folder)).text).toBe(one.text);
    await writeFile(file, 'cut');
    expect((await synth(ENV, {}, folder)).text).toBe(stack.text);
    await writeFile(file, 'two!');
    const two = await synth(ENV, {}, folder);
    expect(body(two).model).not.toBe(body(one).model);
    expect(body(one).modelSource).toBe('hidden');
    expect(body(stack).modelSource).toBeUndefined();
    const object = only(one, 'oci_objectstorage_object');
    expect(object).toMatchObject({ source: file, lifecycle: { ignore_changes: ['source'] } });
    expect(object.object).toBe(`models/${body(one).model}/all_MiniLM_L12_v2.onnx`);
  });
});

describe('the schedule', () => {
  it('is an alarm on a metric of the database itself, that always fires and repeats each minute to drain', () => {
    const clock = only(stack, 'oci_monitoring_alarm', 'schedule_');
    expect(clock).toMatchObject({
      namespace: 'oci_autonomous_database',
      query: 'CpuUtilization[5m]{resourceId = "${oci_database_autonomous_database.database.id}"}.mean() >= 0',
      repeat_notification_duration: 'PT1M',
      pending_duration: 'PT1M',
      message_format: 'RAW',
      is_enabled: true,
    });
    const subscription = only(stack, 'oci_ons_subscription', 'schedule_');
    expect(subscription).toMatchObject({ protocol: 'ORACLE_FUNCTIONS' });
    expect(subscription.endpoint).toMatch(/^\$\{oci_functions_function\.drain_\w+\.id\}$/);
    expect(clock.destinations).toEqual([subscription.topic_id]);
  });

  it('is apart from the alarms of operators, who hear of them by e-mail', async () => {
    const queries = Object.entries(stack.resource.oci_monitoring_alarm ?? {})
      .filter(([id]) => id.startsWith('alarms_'))
      .map(([, { namespace, query }]) => `${namespace} ${String(query).replace(/\$\{(\w+)\.[^}]*\}/, '$1')}`);
    expect(queries.sort()).toEqual([
      'oci_autonomous_database CpuUtilization[5m]{resourceId = "oci_database_autonomous_database"}.groupBy(resourceId).absent(3d)',
      'oci_autonomous_database DatabaseAvailability[5m]{resourceId = "oci_database_autonomous_database"}.mean() < 1',
      'oci_faas FunctionResponseCount[5m]{applicationId = "oci_functions_application", responseType = "Error"}.sum() > 0',
      'rag_oci_rag model_retirement[1h].max() > 0',
      'rag_oci_rag model_source_hours_left[5m].min() < 2',
      'rag_oci_rag queue_age_seconds[5m].min() > 600',
      'rag_oci_rag queue_parked[5m].max() > 0',
      'rag_oci_rag queue_stalling[5m].max() > 0',
    ]);
    const mailed = await synth({ ...ENV, DEPLOY_OPERATOR_EMAILS: 'a@example.com,b@example.com' });
    const emails = Object.values(mailed.resource.oci_ons_subscription ?? {}).filter((is) => is.protocol === 'EMAIL');
    expect(emails.map((is) => is.endpoint)).toEqual(['a@example.com', 'b@example.com']);
  });
});

describe('what holds data', () => {
  const STATEFUL = [
    ['oci_database_autonomous_database', 'database'],
    ['oci_objectstorage_bucket', 'documents'],
    ['oci_kms_vault', 'vault'],
    ['oci_kms_key', 'key'],
    ['oci_vault_secret', 'secret_admin'],
    ['oci_vault_secret', 'secret_owner'],
    ['oci_vault_secret', 'secret_runtime'],
  ] as const;

  it.each(STATEFUL)(
    '%s.%s keeps its address, and is never destroyed before its successor is there',
    async (type, id) => {
      expect(stack.resource[type]?.[id]?.lifecycle).toEqual({ create_before_destroy: true, prevent_destroy: false });
      const guarded = await synth({ ...ENV, DEPLOY_PREVENT_DESTROY: 'true' });
      expect(guarded.resource[type]?.[id]?.lifecycle).toMatchObject({ prevent_destroy: true });
    },
  );

  it('is all that stays where the data alone is kept', async () => {
    const data = await synth({ ...ENV, DEPLOY_KEEP: 'data' });
    for (const [type, id] of STATEFUL) expect(data.resource[type]?.[id]).toEqual(stack.resource[type]?.[id]);
    expect(data.resource.oci_functions_function).toBeUndefined();
    expect(data.resource.oci_apigateway_gateway).toBeUndefined();
  });

  it('tells of its documents’ changes to ingest', () => {
    expect(only(stack, 'oci_objectstorage_bucket', 'documents')).toMatchObject({
      object_events_enabled: true,
      access_type: 'NoPublicAccess',
    });
    const rule = only(stack, 'oci_events_rule') as {
      condition: string;
      actions: { action: { action_type: string }[] };
    };
    expect(JSON.parse(rule.condition)).toEqual({
      eventType: ['create', 'update', 'delete'].map((what) => `com.oraclecloud.objectstorage.${what}object`),
      data: {
        additionalDetails: { bucketName: ['${oci_objectstorage_bucket.documents.name}'] },
        resourceName: ['documents/*'],
      },
    });
    expect(rule.actions.action).toMatchObject([{ action_type: 'FAAS' }]);
  });
});

describe('what is known to change without cause with this provider', () => {
  it('is left out', () => {
    expect(stack.text).not.toMatch(
      /defined_tags":\s*\{|bucket_listing_action|admin_password|security_list_ids":\s*\[\]/,
    );
    expect(only(stack, 'oci_objectstorage_preauthrequest').lifecycle).toEqual({ ignore_changes: ['time_expires'] });
    expect(only(stack, 'oci_core_public_ip').lifecycle).toEqual({ ignore_changes: ['private_ip_id'] });
    expect(all('oci_core_service_gateway')).toEqual([]);
  });

  it('is the state’s place, which is a file here, or a bucket', async () => {
    expect(stack.terraform.backend).toEqual({ local: { path: '../../../terraform.oci-rag.tfstate' } });
    const kept = await synth(
      { ...ENV, DEPLOY_STATE_BUCKET: 'state', DEPLOY_STATE_NAMESPACE: 'space' },
      {},
      await modelFolder(),
    );
    expect(kept.terraform.backend).toEqual({
      oci: { bucket: 'state', namespace: 'space', region: 'eu-frankfurt-1', key: 'oci-rag/terraform.tfstate' },
    });
  });
});

describe('the image', () => {
  it('is built and pushed in the same deploy where Docker is, under a tag that is its content', async () => {
    const { FUNCTION_IMAGE: _, ...others } = ENV;
    const built = await synth({ ...others, DOCKER_HOST: 'unix:///run/docker.sock' });
    expect(built.missing.filter(({ what }) => what.startsWith('the image'))).toEqual([]);
    expect(built.terraform.required_providers).toEqual({
      docker: { source: 'kreuzwerker/docker', version: '3.6.2' },
      oci: { source: 'oracle/oci', version: '8.28.0' },
    });
    expect(built.provider.docker).toEqual([{ registry_auth: [{ address: 'eu-frankfurt-1.ocir.io' }] }]);
    const image = only(built, 'docker_image');
    expect(image.name).toMatch(/^eu-frankfurt-1\.ocir\.io\/\$\{data\..*\}\/\$\{oci_artifacts.*\}:[0-9a-f]{12}$/);
    expect(image.build).toMatchObject({ platform: 'linux/amd64' });
    expect(image.lifecycle).toMatchObject({ create_before_destroy: true });
    expect(only(built, 'docker_registry_image')).toMatchObject({
      keep_remotely: true,
      lifecycle: { create_before_destroy: true },
    });
    const [pushed] = Object.keys(built.resource.docker_registry_image ?? {});
    for (const is of Object.values(built.resource.oci_functions_function ?? {})) {
      expect(is).toMatchObject({
        image: `\${docker_registry_image.${pushed}.name}`,
        image_digest: `\${docker_registry_image.${pushed}.sha256_digest}`,
      });
    }
    expect(only(built, 'oci_functions_invoke_function').invoke_function_body).toContain(
      `docker_registry_image.${pushed}.`,
    );
  });

  it('is one that exists where it is named, by its digest too where that is named', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const { resource } = await synth({ ...ENV, FUNCTION_IMAGE: `eu-frankfurt-1.ocir.io/space/oci-rag:1@${digest}` });
    for (const is of Object.values(resource.oci_functions_function ?? {})) {
      expect(is).toMatchObject({ image: 'eu-frankfurt-1.ocir.io/space/oci-rag:1', image_digest: digest });
    }
    expect(resource.docker_image).toBeUndefined();
    // Whoever names an image of the stack's own repository must not lose that repository.
    expect(Object.keys(resource.oci_artifacts_container_repository ?? {}).length).toBe(1);
  });
});

describe('what is missing', () => {
  it('stands as a placeholder where nothing is deployed, and takes the place of what is only where that is said', async () => {
    const { FUNCTION_IMAGE: _, ...others } = ENV;
    const state = await mkdtemp(join(tmpdir(), 'oci-rag-state-'));
    const again = (more = {}) => synth({ ...others, ...more }, {}, '/nonexistent', state);
    const placeholders = await again();
    expect(placeholders.missing.map(({ what }) => what.split(':')[0])).toEqual([
      expect.stringContaining('the model file'),
      'the image',
    ]);
    const file = join(state, 'terraform.oci-rag.tfstate');
    await writeFile(file, '{"resources": []}');
    await again();
    await writeFile(file, JSON.stringify({ resources: [{ image: 'eu-frankfurt-1.ocir.io/space/oci-rag:1' }] }));
    await expect(again()).rejects.toThrow(/2 faults[\s\S]*missing is the model file[\s\S]*missing is the image/);
    await again({ DEPLOY_PLACEHOLDERS: 'true' });
    await writeFile(file, JSON.stringify({ resources: [{ all: placeholders.text }] }));
    await again();
    const remote = { ...ENV, DEPLOY_STATE_BUCKET: 'state', DEPLOY_STATE_NAMESPACE: 'space' };
    await expect(synth(remote)).rejects.toThrow('missing is the model file');
  });
});
