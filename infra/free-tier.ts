/** A resource as Terraform reads it: its arguments by their Terraform names. */
type Arguments = Record<string, unknown>;

/** What `synth` writes: resources by type and logical id. */
export type Resources = Record<string, Record<string, Arguments>>;

/** What Always Free has; oci-facts: Autonomous Database Always Free, Vault, Functions. */
export const ALWAYS_FREE = { ecpus: 2, storageGb: 20, sessions: 30, databases: 2 } as const;

type Rule = (is: Arguments) => string | null;

const unless = (isFree: boolean, fault: string) => (isFree ? null : fault);
const isAbsent = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Rules by resource type: each says what would cost, or null. */
const RULES: Record<string, Rule[]> = {
  oci_database_autonomous_database: [
    (is) => unless(is.is_free_tier === true, 'is_free_tier is not true: it would be a database that is paid for'),
    (is) =>
      unless(
        Number(is.compute_count) <= ALWAYS_FREE.ecpus,
        `compute_count is ${is.compute_count}, free are ${ALWAYS_FREE.ecpus} ECPUs (DEPLOY_DATABASE_ECPUS)`,
      ),
    (is) =>
      unless(
        Number(is.data_storage_size_in_gb ?? 0) <= ALWAYS_FREE.storageGb && isAbsent(is.data_storage_size_in_tbs),
        `storage is ${is.data_storage_size_in_gb} GB, free are ${ALWAYS_FREE.storageGb} (DEPLOY_DATABASE_STORAGE_GB)`,
      ),
    (is) =>
      unless(
        is.is_auto_scaling_enabled === false,
        'is_auto_scaling_enabled is not false (DEPLOY_DATABASE_AUTO_SCALING)',
      ),
    (is) =>
      unless(
        is.is_auto_scaling_for_storage_enabled === false,
        'is_auto_scaling_for_storage_enabled is not false (DEPLOY_DATABASE_AUTO_SCALING)',
      ),
    (is) =>
      unless(
        isAbsent(is.subnet_id) && isAbsent(is.nsg_ids) && isAbsent(is.private_endpoint_label),
        'it has a private endpoint, which is not free (DEPLOY_DATABASE_PRIVATE_ENDPOINT)',
      ),
    (is) => unless(is.license_model === 'LICENSE_INCLUDED', 'license_model is not LICENSE_INCLUDED'),
    (is) => unless(is.db_workload === 'OLTP', `db_workload is ${is.db_workload}`),
  ],
  oci_kms_vault: [
    (is) =>
      unless(is.vault_type === 'DEFAULT', `vault_type is ${is.vault_type}; free is DEFAULT (DEPLOY_PRIVATE_VAULT)`),
  ],
  oci_kms_key: [
    (is) => unless(is.protection_mode === 'SOFTWARE', `protection_mode is ${is.protection_mode}; free is SOFTWARE`),
  ],
  oci_functions_function: [
    (is) =>
      unless(
        isAbsent(is.provisioned_concurrency_config),
        'provisioned_concurrency_config is billed while it idles (DEPLOY_PROVISIONED_CONCURRENCY)',
      ),
  ],
};

/** Types without an hourly price; what they may cost by use is on docs/cost.md. */
const WITHOUT_PRICE = new Set([
  'oci_apigateway_deployment',
  'oci_apigateway_gateway',
  'oci_artifacts_container_repository',
  'oci_budget_alert_rule',
  'oci_budget_budget',
  'oci_core_internet_gateway',
  'oci_core_nat_gateway',
  'oci_core_public_ip',
  'oci_core_route_table',
  'oci_core_security_list',
  'oci_core_subnet',
  'oci_core_vcn',
  'oci_events_rule',
  'oci_functions_application',
  'oci_functions_invoke_function',
  'oci_identity_dynamic_group',
  'oci_identity_policy',
  'oci_logging_log',
  'oci_logging_log_group',
  'oci_monitoring_alarm',
  'oci_objectstorage_bucket',
  'oci_objectstorage_object',
  'oci_objectstorage_object_lifecycle_policy',
  'oci_objectstorage_preauthrequest',
  'oci_ons_notification_topic',
  'oci_ons_subscription',
  'oci_vault_secret',
  // Made by the Docker provider on the machine that deploys.
  'docker_image',
  'docker_registry_image',
]);

/** What somebody asked for that the resources do not tell. */
interface Asked {
  poolMax: number;
  maxInstances: number;
  /** A model of Generative AI, which is paid by token, beside an Always Free database. */
  generativeAi: boolean;
}

/** What of a deployment would leave Always Free, each fault with the resource's name. */
export function freeTierFaults(resources: Resources, asked: Asked): string[] {
  const faults: string[] = [];
  for (const [type, byId] of Object.entries(resources)) {
    const rules = RULES[type];
    for (const [id, is] of Object.entries(byId)) {
      if (rules === undefined && !WITHOUT_PRICE.has(type)) faults.push(`${type}.${id}: it is not known to be free`);
      for (const rule of rules ?? []) {
        const fault = rule(is);
        if (fault !== null) faults.push(`${type}.${id}: ${fault}`);
      }
    }
  }
  const databases = Object.keys(resources.oci_database_autonomous_database ?? {}).length;
  if (databases > ALWAYS_FREE.databases)
    faults.push(`there are ${databases} databases, free are ${ALWAYS_FREE.databases}`);
  for (const [id, { statements }] of Object.entries(resources.oci_identity_policy ?? {})) {
    if (!asked.generativeAi && /generative-ai/.test(String(statements))) {
      faults.push(
        `oci_identity_policy.${id}: it allows Generative AI, which is not free and which no setting asks for`,
      );
    }
  }
  const { poolMax, maxInstances } = asked;
  if (poolMax * maxInstances > ALWAYS_FREE.sessions) {
    faults.push(
      `${maxInstances} function instances with ${poolMax} sessions each are ${poolMax * maxInstances} sessions, and an ` +
        `Always Free database has ${ALWAYS_FREE.sessions} (DEPLOY_POOL_MAX, DEPLOY_MAX_INSTANCES)`,
    );
  }
  return faults;
}
