import { ApigatewayDeployment } from '@cdktf/provider-oci/apigateway-deployment';
import { ApigatewayGateway } from '@cdktf/provider-oci/apigateway-gateway';
import { Construct, type TerraformResource } from '../framework.ts';
import { type ApiPolicies, apiSpecification, type FunctionIds } from './gateway-specification.ts';

interface GatewayProps {
  name: string;
  compartmentId: string;
  subnetId: string;
  functions: FunctionIds;
  policies: ApiPolicies;
  after: TerraformResource[];
}

/** The public door: the route table, the token, the rate limit; everything else is the functions'. */
export class Gateway extends Construct {
  /** https://…, without a slash at its end. */
  readonly url: string;
  readonly deploymentId: string;

  constructor(
    scope: Construct,
    id: string,
    { name, compartmentId, subnetId, functions, policies, after }: GatewayProps,
  ) {
    super(scope, id);
    const gateway = new ApigatewayGateway(this, 'gateway', {
      compartmentId,
      displayName: name,
      endpointType: 'PUBLIC',
      subnetId,
    });
    const deployment = new ApigatewayDeployment(this, 'api', {
      compartmentId,
      gatewayId: gateway.id,
      displayName: name,
      // The route table's paths are whole.
      pathPrefix: '/',
      specification: apiSpecification(functions, policies),
      dependsOn: after,
    });
    this.url = `https://${gateway.hostname}`;
    this.deploymentId = deployment.id;
  }
}
