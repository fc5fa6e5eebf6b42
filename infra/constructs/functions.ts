import { FunctionsApplication } from '@cdktf/provider-oci/functions-application';
import { FunctionsFunction } from '@cdktf/provider-oci/functions-function';
import { FUNCTIONS, type FunctionName } from '../../functions/routes.ts';
import { Construct } from '../framework.ts';
import type { FunctionImage } from './image.ts';
import type { Policies } from './policies.ts';

interface ApplicationProps {
  name: string;
  compartmentId: string;
  subnetId: string;
  /** What all functions are told. */
  config: Record<string, string>;
}

/** The application: what the functions have in common. */
export class Application extends Construct {
  readonly applicationId: string;
  readonly name: string;
  readonly compartmentId: string;

  constructor(scope: Construct, id: string, { name, compartmentId, subnetId, config }: ApplicationProps) {
    super(scope, id);
    const application = new FunctionsApplication(this, 'application', {
      compartmentId,
      displayName: name,
      subnetIds: [subnetId],
      shape: 'GENERIC_X86',
      config,
    });
    this.applicationId = application.id;
    this.name = name;
    this.compartmentId = compartmentId;
  }
}

interface RagFunctionProps {
  application: Application;
  function: FunctionName;
  image: FunctionImage;
  memoryMb: number;
  policies: Policies;
  /** What this function alone is told. */
  config?: Record<string, string>;
  /** How long a detached call may take; as a call where it is not said. */
  detachedSeconds?: number;
  provisioned?: number;
}

/** One function, and the group whose only member it is: what it may do is granted to it alone. */
export class RagFunction extends Construct {
  readonly functionId: string;
  readonly invokeEndpoint: string;
  readonly resource: FunctionsFunction;
  readonly #grant: (what: string, where?: string) => void;

  constructor(scope: Construct, id: string, props: RagFunctionProps) {
    super(scope, id);
    const { application, image, policies, memoryMb, config = {}, detachedSeconds, provisioned = 0 } = props;
    this.resource = new FunctionsFunction(this, 'function', {
      applicationId: application.applicationId,
      displayName: props.function,
      image: image.image,
      ...(image.digest !== null && { imageDigest: image.digest }),
      memoryInMbs: String(memoryMb),
      timeoutInSeconds: FUNCTIONS[props.function].timeoutSeconds,
      ...(detachedSeconds !== undefined && { detachedModeTimeoutInSeconds: detachedSeconds }),
      ...(provisioned > 0 && { provisionedConcurrencyConfig: { strategy: 'CONSTANT', count: provisioned } }),
      config: { FUNCTION_ENTRY: props.function, ...config },
    });
    this.functionId = this.resource.id;
    this.invokeEndpoint = this.resource.invokeEndpoint;
    const group = policies.group(
      props.function,
      `The function ${props.function} of ${application.name}`,
      `ALL {resource.type = 'fnfunc', resource.id = '${this.functionId}'}`,
    );
    this.#grant = (what, where) => policies.grant(props.function, group, what, where);
  }

  /** Lets it do one thing in the compartment: `read secret-bundles`, where a condition holds. */
  grant(what: string, where?: string): void {
    this.#grant(what, where);
  }
}
