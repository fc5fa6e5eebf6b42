import { CoreInternetGateway } from '@cdktf/provider-oci/core-internet-gateway';
import { CoreNatGateway } from '@cdktf/provider-oci/core-nat-gateway';
import { CorePublicIp } from '@cdktf/provider-oci/core-public-ip';
import { CoreRouteTable } from '@cdktf/provider-oci/core-route-table';
import { CoreSecurityList } from '@cdktf/provider-oci/core-security-list';
import { CoreSubnet } from '@cdktf/provider-oci/core-subnet';
import { CoreVcn } from '@cdktf/provider-oci/core-vcn';
import { Construct } from '../framework.ts';

interface NetworkProps {
  name: string;
  compartmentId: string;
  /** The database has its endpoint beside the functions. */
  holdsDatabase: boolean;
}

const ANYWHERE = '0.0.0.0/0';
const FUNCTIONS_CIDR = '10.20.1.0/24';
const TCP = '6';
const HTTPS_PORT = 443;
/** Autonomous Database: 1521 for TLS, 1522 for mutual TLS. */
const DATABASE_PORTS = { min: 1521, max: 1522 };

const port = (n: number) => ({ min: n, max: n });

/**
 * A private subnet for the functions and a public one for the gateway. All that leaves the private one goes through one
 * NAT gateway with a reserved address, which the database's access list names. There is no service gateway: traffic to
 * the database would take it, and arrive from another address.
 */
export class Network extends Construct {
  readonly functionsSubnetId: string;
  readonly gatewaySubnetId: string;
  /** The address from which functions reach the database and everything else. */
  readonly natAddress: string;

  constructor(scope: Construct, id: string, { name, compartmentId, holdsDatabase }: NetworkProps) {
    super(scope, id);
    const vcn = new CoreVcn(this, 'vcn', {
      compartmentId,
      displayName: `${name}-vcn`,
      cidrBlocks: ['10.20.0.0/16'],
      dnsLabel: 'ocirag',
    });
    const address = new CorePublicIp(this, 'nat-address', {
      compartmentId,
      displayName: `${name}-nat`,
      lifetime: 'RESERVED',
      // The NAT gateway attaches it, which the provider would read as a change.
      lifecycle: { ignoreChanges: ['private_ip_id'] },
    });
    const nat = new CoreNatGateway(this, 'nat', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-nat`,
      publicIpId: address.id,
    });
    const internet = new CoreInternetGateway(this, 'internet', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-internet`,
    });
    const routeThrough = (route: string, networkEntityId: string) =>
      new CoreRouteTable(this, `${route}-routes`, {
        compartmentId,
        vcnId: vcn.id,
        displayName: `${name}-${route}`,
        routeRules: [{ destination: ANYWHERE, destinationType: 'CIDR_BLOCK', networkEntityId }],
      });
    const functionRules = new CoreSecurityList(this, 'functions-rules', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-functions`,
      ...(holdsDatabase && {
        ingressSecurityRules: [{ source: FUNCTIONS_CIDR, protocol: TCP, tcpOptions: DATABASE_PORTS }],
      }),
      egressSecurityRules: [
        { destination: ANYWHERE, protocol: TCP, tcpOptions: port(HTTPS_PORT) },
        { destination: ANYWHERE, protocol: TCP, tcpOptions: DATABASE_PORTS },
      ],
    });
    const gatewayRules = new CoreSecurityList(this, 'gateway-rules', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-gateway`,
      ingressSecurityRules: [{ source: ANYWHERE, protocol: TCP, tcpOptions: port(HTTPS_PORT) }],
      egressSecurityRules: [{ destination: ANYWHERE, protocol: TCP, tcpOptions: port(HTTPS_PORT) }],
    });
    const functions = new CoreSubnet(this, 'functions-subnet', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-functions`,
      cidrBlock: FUNCTIONS_CIDR,
      dnsLabel: 'functions',
      prohibitPublicIpOnVnic: true,
      routeTableId: routeThrough('functions', nat.id).id,
      securityListIds: [functionRules.id],
    });
    const gateway = new CoreSubnet(this, 'gateway-subnet', {
      compartmentId,
      vcnId: vcn.id,
      displayName: `${name}-gateway`,
      cidrBlock: '10.20.0.0/24',
      dnsLabel: 'gateway',
      routeTableId: routeThrough('gateway', internet.id).id,
      securityListIds: [gatewayRules.id],
    });
    this.functionsSubnetId = functions.id;
    this.gatewaySubnetId = gateway.id;
    this.natAddress = address.ipAddress;
  }
}
