import { existsSync } from 'node:fs';
import { type Cloud, type Resource, secretKey } from './cloud.ts';
import { blocks, type Fields, isFields, isSet, same, text, type Value } from './values.ts';

type Faults = (string | false)[];
type Check = (config: Fields, context: { cloud: Cloud; prior: Fields | null; id: string }) => Faults;

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const CONFIG_BYTES = 4096;
const MEMORIES = ['128', '256', '512', '1024', '2048', '3072'];

const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);
const within = (value: Value | undefined, min: number, max: number): boolean =>
  !isSet(value) || (Number(value) >= min && Number(value) <= max);
const oneOf = (attribute: string, value: Value | undefined, ...allowed: string[]): string | false =>
  isSet(value) &&
  !allowed.includes(text(value)) &&
  `400-InvalidParameter, ${attribute} is ${value}; allowed: ${allowed.join(', ')}`;

const configSize = ({ config }: Fields): string | false => {
  const bytes = Buffer.byteLength(
    Object.entries(isFields(config) ? config : {})
      .flat()
      .join(''),
  );
  return bytes > CONFIG_BYTES && `400-InvalidParameter, config has ${bytes} bytes; at most ${CONFIG_BYTES} are allowed`;
};

const needsBucket: Check = ({ bucket }, { cloud }) => [
  !cloud.find('oci_objectstorage_bucket', ({ name }) => name === bucket) && `404-BucketNotFound, ${bucket}`,
];

function specification(config: Fields): Faults {
  const [spec = {}] = blocks(config.specification);
  const [policies = {}] = blocks(spec.request_policies);
  const [authentication] = blocks(policies.authentication);
  const routes = blocks(spec.routes);
  const seen = routes.flatMap(({ path, methods }) => list(methods).map((method) => `${method} ${path}`));
  return [
    routes.length === 0 && '400-InvalidParameter, a specification needs routes',
    routes.length > 50 && '400-LimitExceeded, at most 50 routes',
    new Set(seen).size < seen.length && `400-InvalidParameter, a route is there twice: ${seen.join(', ')}`,
    ...blocks(policies.rate_limiting).map(
      ({ rate_in_requests_per_second: rate }) => Number(rate) < 1 && '400-InvalidParameter, a rate is at least 1',
    ),
    ...(authentication === undefined ? [] : authenticationFaults(authentication)),
    ...routes.flatMap((route) => routeFaults(route, authentication)),
  ];
}

function authenticationFaults(config: Fields): Faults {
  const { type, audiences, issuers, token_header, token_query_param, token_auth_scheme } = config;
  const isJwt = type === 'JWT_AUTHENTICATION';
  return [
    oneOf('authentication type', type, 'JWT_AUTHENTICATION', 'TOKEN_AUTHENTICATION', 'CUSTOM_AUTHENTICATION'),
    isJwt && !isSet(audiences) && 'a JWT policy needs audiences',
    isJwt && !isSet(issuers) && 'a JWT policy needs issuers',
    isJwt && blocks(config.public_keys).length === 0 && 'a JWT policy needs public_keys',
    type !== 'CUSTOM_AUTHENTICATION' &&
      isSet(token_header) === isSet(token_query_param) &&
      'exactly one of token_header and token_query_param is needed',
    isSet(token_header) && !isSet(token_auth_scheme) && 'token_header needs token_auth_scheme',
    !within(config.max_clock_skew_in_seconds, 0, 120) && 'max_clock_skew_in_seconds is at most 120',
  ];
}

function routeFaults({ path, backend, request_policies }: Fields, authentication: Fields | undefined): Faults {
  const [{ authorization, header_transformations } = {} as Fields] = blocks(request_policies);
  const [{ set_headers, rename_headers } = {} as Fields] = blocks(header_transformations);
  const names = [...blocks(set_headers), ...blocks(rename_headers)]
    .flatMap(({ items }) => blocks(items))
    .map(({ name, from }) => text(name ?? from).toLowerCase());
  const [{ type, allowed_scope } = {} as Fields] = blocks(authorization);
  return [
    ...blocks(backend).map(
      (to) => to.type === 'ORACLE_FUNCTIONS_BACKEND' && !isSet(to.function_id) && `${path} needs a function_id`,
    ),
    oneOf('authorization type', type, 'AUTHENTICATION_ONLY', 'ANONYMOUS', 'ANY_OF'),
    type === 'ANY_OF' && !isSet(allowed_scope) && `ANY_OF needs allowed_scope on ${path}`,
    type === 'ANONYMOUS' &&
      authentication?.is_anonymous_access_allowed !== true &&
      `${path} is ANONYMOUS, and is_anonymous_access_allowed is not set`,
    new Set(names).size < names.length && `${path} transforms a header twice`,
  ];
}

const PASSWORD = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?!.*(?:"|[Aa][Dd][Mm][Ii][Nn])).{12,30}$/;
const APART = ['admin_password', 'whitelisted_ips', 'is_mtls_connection_required', 'db_name'];

const database: Check = (config, { cloud, prior }) => {
  const changed = prior === null ? [] : APART.filter((name) => name in config && !same(config[name], prior[name]));
  const free = cloud.resources.filter(({ config: other }) => other.is_free_tier === true).length;
  const secret = text(config.secret_id);
  return [
    !/^[a-z][a-z0-9]{0,29}$/i.test(text(config.db_name)) && `400-InvalidParameter, db_name is ${config.db_name}`,
    oneOf('db_version', config.db_version, '19c', '26ai'),
    oneOf('db_workload', config.db_workload, 'OLTP', 'LH', 'AJD', 'APEX'),
    isSet(config.admin_password) === isSet(secret) && 'exactly one of admin_password and secret_id is needed',
    isSet(config.admin_password) && !PASSWORD.test(text(config.admin_password)) && '400-InvalidPassword',
    isSet(secret) && cloud.byId(secret)?.type !== 'oci_vault_secret' && `404-NotAuthorizedOrNotFound, ${secret}`,
    isSet(config.cpu_core_count) &&
      isSet(config.compute_count) &&
      'cpu_core_count and compute_count exclude each other',
    isSet(config.data_storage_size_in_gb) && isSet(config.data_storage_size_in_tbs) && 'two sizes of the storage',
    config.is_mtls_connection_required === false &&
      !isSet(config.whitelisted_ips) &&
      !isSet(config.subnet_id) &&
      'TLS without mutual authentication needs whitelisted_ips or a subnet_id',
    prior === null && config.is_free_tier === true && free >= 2 && '400-LimitExceeded, two free databases are there',
    changed.length > 1 && `400-InvalidParameter, these change in no one request: ${changed.join(', ')}`,
  ];
};

const CHECKS: Record<string, Check> = {
  oci_apigateway_deployment: specification,
  oci_database_autonomous_database: database,
  oci_events_rule: ({ condition, actions }) => [
    isSet(condition) && !isJson(text(condition)) && '400-InvalidParameter, condition is no JSON',
    ...blocks(actions)
      .flatMap(({ action }) => blocks(action))
      .map(({ action_type }) => oneOf('action_type', action_type, 'FAAS', 'ONS', 'OSS')),
  ],
  oci_functions_application: (config) => [
    configSize(config),
    oneOf('shape', config.shape, 'GENERIC_X86', 'GENERIC_ARM', 'GENERIC_X86_ARM'),
  ],
  oci_functions_function: (config) => [
    configSize(config),
    oneOf('memory_in_mbs', config.memory_in_mbs, ...MEMORIES),
    !within(config.timeout_in_seconds, 5, 300) && '400-InvalidParameter, timeout_in_seconds is from 5 to 300',
    !within(config.detached_mode_timeout_in_seconds, 5, 3600) &&
      '400-InvalidParameter, detached_mode_timeout_in_seconds is from 5 to 3600',
  ],
  oci_identity_policy: ({ statements }) => [
    ...list(statements).map(
      (statement) =>
        !/^(allow|define|endorse|admit|deny) /i.test(text(statement)) && `400-InvalidParameter, ${statement}`,
    ),
  ],
  oci_kms_key: ({ key_shape }) => [
    ...blocks(key_shape).map(
      ({ algorithm, length }) =>
        algorithm === 'AES' && ![16, 24, 32].includes(Number(length)) && '400-InvalidParameter, length counts bytes',
    ),
  ],
  oci_logging_log: ({ retention_duration: days }) => [
    isSet(days) && (Number(days) % 30 !== 0 || !within(days, 30, 180)) && '400-InvalidParameter, retention_duration',
  ],
  oci_monitoring_alarm: ({ query, severity, message_format, destinations }) => [
    !/^\w+\[\w+\](\{[^}]*\})?\..+/.test(text(query)) && `400-InvalidParameter, query is ${query}`,
    oneOf('severity', severity, 'CRITICAL', 'ERROR', 'WARNING', 'INFO'),
    oneOf('message_format', message_format, 'RAW', 'PRETTY_JSON', 'ONS_OPTIMIZED'),
    !isSet(destinations) && '400-InvalidParameter, an alarm needs a destination',
  ],
  oci_objectstorage_object: (config, context) => [
    ...needsBucket(config, context),
    [config.content, config.source, config.source_uri_details].filter(isSet).length !== 1 &&
      'exactly one of content, source and source_uri_details is needed',
  ],
  oci_objectstorage_object_lifecycle_policy: needsBucket,
  oci_objectstorage_preauthrequest: (config, context) => [
    ...needsBucket(config, context),
    !RFC_3339.test(text(config.time_expires)) && `time_expires is ${config.time_expires}, and not RFC 3339`,
    Date.parse(text(config.time_expires)) < Date.now() && '400-InvalidParameter, time_expires is past',
    isSet(config.object) && isSet(config.object_name) && 'object and object_name exclude each other',
    isSet(config.bucket_listing_action) &&
      !text(config.access_type).startsWith('Any') &&
      '400-InvalidParameter, bucket_listing_action',
    oneOf(
      'access_type',
      config.access_type,
      ...['Object', 'AnyObject'].flatMap((of) => ['Read', 'Write', 'ReadWrite'].map((way) => of + way)),
    ),
  ],
  oci_ons_subscription: ({ protocol }) => [
    oneOf('protocol', protocol, 'CUSTOM_HTTPS', 'EMAIL', 'HTTPS', 'ORACLE_FUNCTIONS', 'PAGERDUTY', 'SLACK', 'SMS'),
  ],
  oci_vault_secret: (config, { cloud, prior }) => [
    prior === null &&
      cloud.pendingSecrets.has(secretKey(config)) &&
      `409-IncorrectState, ${config.secret_name} waits for its deletion`,
    isSet(config.secret_content) === (config.enable_auto_generation === true) &&
      'a secret has its content or generates it',
  ],
};

const isJson = (value: string): boolean => {
  try {
    return JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
};

/** The names that the service lets one resource have, in all that the other attributes name. */
const UNIQUE: Record<string, string[]> = {
  oci_apigateway_deployment: ['path_prefix', 'gateway_id'],
  oci_artifacts_container_repository: ['display_name'],
  oci_database_autonomous_database: ['db_name'],
  oci_functions_application: ['display_name', 'compartment_id'],
  oci_functions_function: ['display_name', 'application_id'],
  oci_identity_dynamic_group: ['name'],
  oci_identity_policy: ['name', 'compartment_id'],
  oci_logging_log: ['configuration'],
  oci_logging_log_group: ['display_name', 'compartment_id'],
  oci_objectstorage_bucket: ['name', 'namespace'],
  oci_objectstorage_object_lifecycle_policy: ['bucket'],
  oci_ons_notification_topic: ['name'],
  oci_vault_secret: ['secret_name', 'vault_id'],
};

const OURS = /ocid1\.\w+\.oc1\.\.[0-9a-f]{32}\b/g;

/** What the service refuses of a resource that is made or changed. */
export function refusals(cloud: Cloud, type: string, config: Fields, prior: Fields | null): string[] {
  const id = text(prior?.id);
  const unique = UNIQUE[type] ?? [];
  const twin = cloud.resources.find(
    (other) => other.type === type && other.id !== id && unique.every((name) => same(other.config[name], config[name])),
  );
  const referred = new Set(JSON.stringify(config).match(OURS));
  return [
    ...(CHECKS[type]?.(config, { cloud, prior, id }) ?? []),
    unique.length > 0 && twin !== undefined && `409-Conflict, ${text(config[unique[0] ?? ''])} is there already`,
    ...[...referred].map((other) => !cloud.byId(other) && `404-NotAuthorizedOrNotFound, ${other}`),
  ].filter((fault) => fault !== false);
}

/** What can be told of a configuration before anything is asked of the service. */
export const planRefusals = (type: string, { source }: Fields): string[] =>
  type === 'oci_objectstorage_object' && isSet(text(source)) && !existsSync(text(source))
    ? [`the specified source is not available: ${text(source)}`]
    : [];

/** Who keeps a resource from being deleted by referring to it; alarms and policies name it only. */
const HOLDERS: [type: RegExp, holder: RegExp][] = [
  [/^oci_core_/, /^oci_(core_|functions_application|apigateway_gateway|database_)/],
  [/^oci_apigateway_gateway$/, /^oci_apigateway_deployment$/],
  [/^oci_functions_application$/, /^oci_functions_function$/],
];

export function deletionRefusals(cloud: Cloud, { type, id, name, config }: Resource): string[] {
  if (type === 'oci_objectstorage_bucket') {
    const inside = cloud.resources.filter(
      (other) => /_(object|preauthrequest)$/.test(other.type) && other.config.bucket === config.name,
    );
    const objects = [...cloud.objects].filter((object) => object.startsWith(`${config.name}/`));
    const all = [...inside.map((other) => other.id), ...objects];
    return all.length === 0 ? [] : [`409-BucketNotEmpty, ${name} has ${all.join(', ')}`];
  }
  const [, by] = HOLDERS.find(([held]) => held.test(type)) ?? [];
  const holder = cloud.resources.find((other) => by?.test(other.type) && JSON.stringify(other.config).includes(id));
  return holder ? [`409-Conflict, ${name} is in use by ${holder.type} ${holder.name}`] : [];
}
