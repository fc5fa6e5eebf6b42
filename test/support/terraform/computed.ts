import { createHash } from 'node:crypto';
import { type Cloud, nameOf } from './cloud.ts';
import { type Block, complete, emptyOf, mapComputed } from './schema.ts';
import { type Fields, text, UNKNOWN, type Value } from './values.ts';

interface Made {
  self: Fields;
  id: string;
  name: string;
  digest: string;
  cloud: Cloud;
}
type Maker = (made: Made) => Value;

const OCID_TYPES: Record<string, string> = {
  apigateway_deployment: 'apideployment',
  apigateway_gateway: 'apigateway',
  artifacts_container_repository: 'containerrepo',
  core_nat_gateway: 'natgateway',
  events_rule: 'eventrule',
  functions_application: 'fnapp',
  functions_function: 'fnfunc',
  ons_notification_topic: 'onstopic',
  ons_subscription: 'onssubscription',
  resource_scheduler_schedule: 'resourceschedule',
  vault_secret: 'vaultsecret',
};
/** Of which the provider makes an id out of names. */
const OBJECT_STORAGE_IDS: Record<string, (config: Fields, digest: string) => string> = {
  oci_objectstorage_bucket: ({ namespace, name }) => `n/${namespace}/b/${name}`,
  oci_objectstorage_object: ({ namespace, bucket, object }) => `n/${namespace}/b/${bucket}/o/${object}`,
  oci_objectstorage_object_lifecycle_policy: ({ namespace, bucket }) => `n/${namespace}/b/${bucket}/l`,
  oci_objectstorage_preauthrequest: ({ namespace, bucket }, digest) => `n/${namespace}/b/${bucket}/p/${digest}`,
};

function idOf(type: string, config: Fields, digest: string): string {
  const [, , service = '', rest = ''] = /^(oci_)([a-z]+)_(.*)$/.exec(type) ?? [];
  const kind = OCID_TYPES[`${service}_${rest}`] ?? rest.replaceAll('_', '');
  return OBJECT_STORAGE_IDS[type]?.(config, digest) ?? `ocid1.${kind}.oc1..${digest}`;
}

const host =
  (service: string): Maker =>
  ({ digest, cloud }) =>
    `${digest.slice(0, 11)}.${service}.${cloud.region}.oci.customer-oci.com`;

const address: Maker = ({ digest }) => `203.0.113.${(Number.parseInt(digest.slice(0, 4), 16) % 250) + 1}`;

/** The wanted one is never first, since the service promises no order. */
const connectionStrings: Maker = ({ self, digest, cloud }) => {
  const encryption = self.is_mtls_connection_required === false ? ['MUTUAL', 'SERVER'] : ['MUTUAL'];
  const profiles = ['HIGH', 'MEDIUM', 'TP', 'TPURGENT', 'LOW'].flatMap((consumer_group) =>
    encryption.flatMap((tls_authentication) =>
      ['EZCONNECTPLUS', 'LONG'].map((syntax_format) => {
        const port = tls_authentication === 'SERVER' ? 1521 : 1522;
        const service =
          `${digest.slice(0, 12)}_${text(self.db_name)}_${consumer_group}.adb.oraclecloud.com`.toLowerCase();
        const database = `adb.${cloud.region}.oraclecloud.com`;
        return {
          consumer_group,
          display_name: `${text(self.db_name)}_${consumer_group}`.toLowerCase(),
          host_format: 'FQDN',
          protocol: 'TCPS',
          session_mode: 'DIRECT',
          syntax_format,
          tls_authentication,
          value:
            syntax_format === 'LONG'
              ? `(description=(retry_count=20)(retry_delay=3)(address=(protocol=tcps)(port=${port})(host=${database}))(connect_data=(service_name=${service}))(security=(ssl_server_dn_match=yes)))`
              : `tcps://${database}:${port}/${service}?retry_count=20&retry_delay=3`,
        };
      }),
    ),
  );
  return [{ profiles, all_connection_strings: {} }];
};

/** By name, whatever the resource. */
const ANY: Record<string, Maker> = {
  id: ({ id }) => id,
  display_name: ({ name }) => name,
  state: () => 'ACTIVE',
  etag: ({ digest }) => digest,
  ip_address: address,
  nat_ip: ({ self, cloud, ...made }) =>
    cloud.byId(text(self.public_ip_id))?.state.ip_address ?? address({ self, cloud, ...made }),
};
const timed = (name: string): Maker | undefined =>
  /^time_(created|updated|last_modified)$|^created_time$/.test(name)
    ? () => '2026-11-29 10:00:00 +0000 UTC'
    : undefined;

const OF: Record<string, Record<string, Maker>> = {
  oci_apigateway_gateway: {
    hostname: host('apigateway'),
    ip_addresses: (made) => [{ ip_address: address(made) }],
  },
  oci_apigateway_deployment: {
    endpoint: ({ self, cloud }) =>
      `https://${text(cloud.byId(text(self.gateway_id))?.state.hostname)}${text(self.path_prefix)}`,
  },
  oci_artifacts_container_repository: { namespace: () => NAMESPACE, is_immutable: () => false },
  oci_core_vcn: {
    default_route_table_id: ({ digest }) => `ocid1.routetable.oc1..default${digest}`,
    default_security_list_id: ({ digest }) => `ocid1.securitylist.oc1..default${digest}`,
    default_dhcp_options_id: ({ digest }) => `ocid1.dhcpoptions.oc1..default${digest}`,
  },
  oci_database_autonomous_database: {
    state: () => 'AVAILABLE',
    db_version: () => '26ai',
    connection_strings: connectionStrings,
    service_console_url: ({ cloud }) => `https://adb.${cloud.region}.oraclecloud.com/console`,
  },
  oci_functions_function: {
    invoke_endpoint: ({ self, cloud }) =>
      `https://${createHash('sha256').update(text(self.application_id)).digest('hex').slice(0, 11)}.${cloud.region}.functions.oci.oraclecloud.com`,
    compartment_id: ({ self, cloud }) => cloud.byId(text(self.application_id))?.config.compartment_id ?? null,
    image_digest: ({ self }) => `sha256:${createHash('sha256').update(text(self.image)).digest('hex')}`,
    timeout_in_seconds: () => 30,
  },
  oci_functions_invoke_function: {
    content: ({ self, cloud }) =>
      cloud.invoke(cloud.byId(text(self.function_id))?.name ?? '', text(self.invoke_function_body)),
  },
  oci_kms_vault: { management_endpoint: (made) => `https://${host('kms')(made)}`, crypto_endpoint: host('crypto') },
  oci_logging_log: {
    compartment_id: ({ self, cloud }) => cloud.byId(text(self.log_group_id))?.config.compartment_id ?? null,
  },
  oci_objectstorage_bucket: {
    bucket_id: ({ digest }) => `ocid1.bucket.oc1..${digest}`,
    versioning: () => 'Disabled',
    storage_tier: () => 'Standard',
  },
  oci_objectstorage_object: {
    content_length: ({ self }) => String(text(self.content).length),
    content_md5: ({ self }) => createHash('md5').update(text(self.content)).digest('base64'),
  },
  oci_objectstorage_preauthrequest: {
    access_uri: ({ self, digest }) =>
      `/p/canary-${digest}/n/${self.namespace}/b/${self.bucket}/o/${text(self.object_name)}`,
    par_id: ({ digest }) => digest,
  },
  oci_ons_notification_topic: { topic_id: ({ id }) => id },
  oci_ons_subscription: { state: ({ self }) => (self.protocol === 'EMAIL' ? 'PENDING' : 'ACTIVE') },
  oci_vault_secret: { is_auto_generation_enabled: ({ self }) => self.enable_auto_generation ?? false },
};

const NAMESPACE = 'standin';
const DATA: Record<string, Record<string, Maker>> = {
  oci_objectstorage_namespace: { namespace: () => NAMESPACE },
  oci_core_services: {
    services: () =>
      ['OCI FRA Object Storage', 'All FRA Services In Oracle Services Network'].map((name, index) => ({
        id: `ocid1.service.oc1..${index}`,
        name,
        cidr_block: name.toLowerCase().replaceAll(' ', '-'),
      })),
  },
  oci_identity_availability_domains: {
    availability_domains: () => [1, 2, 3].map((number) => ({ name: `Uocm:AD-${number}`, id: `ad${number}` })),
  },
  oci_identity_region_subscriptions: {
    region_subscriptions: ({ cloud }) => [
      { region_name: cloud.region, region_key: 'FRA', is_home_region: true, state: 'READY' },
    ],
  },
  oci_database_autonomous_db_versions: {
    autonomous_db_versions: () => ['19c', '26ai'].map((version) => ({ version, is_free_tier_enabled: true })),
  },
};

/** What the service answers for what Terraform does not know yet. */
export function fill(cloud: Cloud, type: string, block: Block, planned: Fields): Fields {
  const name = nameOf(planned);
  const digest = cloud.digest(type, name);
  const made: Made = { self: planned, name, digest, cloud, id: idOf(type, planned, digest) };
  return mapComputed(block, planned, (value, attribute, of, depth) => {
    if (value !== UNKNOWN) return value;
    const make = depth > 0 ? undefined : (OF[type]?.[attribute] ?? ANY[attribute] ?? timed(attribute));
    return complete(of, make?.(made) ?? emptyOf(of));
  });
}

export function fillData(cloud: Cloud, type: string, block: Block, config: Fields): Fields {
  const made: Made = { self: config, name: '', digest: '', cloud, id: `data/${type}` };
  const existing = Object.entries(config).find(([name, value]) => name.endsWith('_id') && cloud.byId(text(value)));
  const state = cloud.byId(text(existing?.[1]))?.state ?? {};
  return mapComputed(block, config, (value, attribute, of, depth) => {
    if (value !== null || depth > 0) return value;
    const known = DATA[type]?.[attribute]?.(made) ?? (attribute === 'id' ? made.id : state[attribute]);
    return complete(of, known ?? emptyOf(of));
  });
}
