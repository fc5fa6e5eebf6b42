/** What makes another resource when it changes, as provider 8.28.0 has it; ALL for every argument. */
const ALL = 'ALL';

const FORCE_NEW: Record<string, string[] | typeof ALL> = {
  oci_apigateway_deployment: ['gateway_id', 'path_prefix'],
  oci_apigateway_gateway: ['endpoint_type', 'subnet_id'],
  oci_apm_apm_domain: ['is_free_tier'],
  oci_artifacts_container_repository: ['display_name'],
  oci_budget_alert_rule: ['budget_id'],
  oci_budget_budget: ['compartment_id', 'target_compartment_id', 'target_type', 'targets'],
  oci_core_internet_gateway: ['vcn_id'],
  oci_core_nat_gateway: ['vcn_id', 'public_ip_id'],
  oci_core_network_security_group: ['vcn_id'],
  oci_core_public_ip: ['lifetime', 'public_ip_pool_id'],
  oci_core_route_table: ['vcn_id'],
  oci_core_security_list: ['vcn_id'],
  oci_core_service_gateway: ['vcn_id'],
  oci_core_subnet: [
    'vcn_id',
    'availability_domain',
    'dns_label',
    'prohibit_internet_ingress',
    'prohibit_public_ip_on_vnic',
  ],
  oci_core_vcn: ['cidr_block', 'dns_label'],
  oci_database_autonomous_database: ['character_set', 'ncharacter_set', 'source', 'source_id', 'clone_type'],
  oci_database_autonomous_database_wallet: ALL,
  oci_functions_application: ['display_name', 'subnet_ids', 'shape'],
  oci_functions_function: ['display_name', 'application_id', 'source_details'],
  oci_functions_invoke_function: ALL,
  oci_identity_dynamic_group: ['compartment_id', 'name'],
  oci_identity_policy: ['compartment_id', 'name'],
  oci_kms_key: ['key_shape', 'management_endpoint', 'protection_mode'],
  oci_kms_vault: ['vault_type'],
  oci_limits_quota: ['compartment_id', 'name'],
  oci_logging_log: ['log_type', 'configuration'],
  oci_objectstorage_bucket: ['storage_tier'],
  oci_objectstorage_object: [
    'bucket',
    'namespace',
    'cache_control',
    'content',
    'content_disposition',
    'content_encoding',
    'content_language',
    'content_md5',
    'content_type',
    'metadata',
    'opc_sse_kms_key_id',
    'source',
    'source_uri_details',
  ],
  oci_objectstorage_object_lifecycle_policy: ['bucket', 'namespace'],
  oci_objectstorage_preauthrequest: ALL,
  oci_ons_notification_topic: ['name'],
  oci_ons_subscription: ['endpoint', 'protocol', 'topic_id'],
  oci_queue_queue: ['retention_in_seconds'],
  oci_vault_secret: ['key_id', 'secret_name', 'vault_id'],
};

export function forcesNew(type: string, attribute: string): boolean {
  const names = FORCE_NEW[type] ?? [];
  return names === ALL ? attribute !== 'timeouts' : names.includes(attribute);
}
