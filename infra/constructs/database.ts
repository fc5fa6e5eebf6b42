import { DatabaseAutonomousDatabase } from '@cdktf/provider-oci/database-autonomous-database';
import { Construct, type TerraformResource } from '../framework.ts';
import { ALWAYS_FREE } from '../free-tier.ts';
import { keepData, pin } from './stateful.ts';

interface DatabaseProps {
  name: string;
  compartmentId: string;
  adminSecretId: string;
  /** IPv4 addresses and ranges that may connect. */
  allowedAddresses: string[];
  settings: {
    databaseName: string;
    databaseVersion: string;
    databaseEcpus: number;
    databaseStorageGb: number;
    databaseAutoScaling: boolean;
    alwaysFree: boolean;
    preventDestroy: boolean;
  };
  /** Where the database is to be reached inside the network alone. */
  privateSubnetId: string | null;
  /** The policy by which the database reads its ADMIN password. */
  readsSecretBy: TerraformResource;
}

/** An Autonomous Database for transactions, reached by TLS without a wallet from the addresses of its access list. */
export class Database extends Construct {
  readonly databaseId: string;
  /** The connect descriptor, an expression that Terraform resolves. */
  readonly connectDescriptor: string;

  constructor(scope: Construct, id: string, props: DatabaseProps) {
    super(scope, id);
    const { name, compartmentId, adminSecretId, allowedAddresses, settings, privateSubnetId, readsSecretBy } = props;
    const isFreeSize = settings.alwaysFree && settings.databaseStorageGb === ALWAYS_FREE.storageGb;
    const database = new DatabaseAutonomousDatabase(this, 'database', {
      compartmentId,
      displayName: name,
      dbName: settings.databaseName,
      dbVersion: settings.databaseVersion,
      dbWorkload: 'OLTP',
      isFreeTier: settings.alwaysFree,
      // The service's own default is to bring a licence.
      licenseModel: 'LICENSE_INCLUDED',
      computeModel: 'ECPU',
      computeCount: settings.databaseEcpus,
      // An Always Free database has its size from the service.
      ...(isFreeSize ? {} : { dataStorageSizeInGb: settings.databaseStorageGb }),
      isAutoScalingEnabled: settings.databaseAutoScaling,
      isAutoScalingForStorageEnabled: settings.databaseAutoScaling,
      secretId: adminSecretId,
      isMtlsConnectionRequired: false,
      ...(privateSubnetId === null ? { whitelistedIps: allowedAddresses } : { subnetId: privateSubnetId }),
      dependsOn: [readsSecretBy],
      ...keepData(settings.preventDestroy),
    });
    pin(database, 'database');
    this.databaseId = database.id;
    // Profiles come in no order that is promised. LOW lets the most statements run at once; SERVER is TLS without a wallet.
    const isWanted = 'p.consumer_group == "LOW" && p.tls_authentication == "SERVER" && p.syntax_format == "LONG"';
    this.connectDescriptor = `\${[for p in ${database.fqn}.connection_strings[0].profiles : p.value if ${isWanted}][0]}`;
  }
}
