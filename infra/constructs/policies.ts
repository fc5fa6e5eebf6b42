import { IdentityDynamicGroup } from '@cdktf/provider-oci/identity-dynamic-group';
import { IdentityPolicy } from '@cdktf/provider-oci/identity-policy';
import { Construct, type TerraformMetaArguments, type TerraformResource } from '../framework.ts';

/** How resources of identity are made in the tenancy's home region; empty where that is the provider's own. */
export type InHomeRegion = Pick<TerraformMetaArguments, 'provider'>;

interface PoliciesProps {
  name: string;
  compartmentId: string;
  tenancyId: string;
  inHomeRegion: InHomeRegion;
}

/**
 * Collects what is granted where it is needed, and makes one policy for each grantee's purpose. Statements keep the
 * order in which they were granted: the provider takes another order for a change.
 */
export class Policies extends Construct {
  readonly #props: PoliciesProps;
  readonly #statements = new Map<string, string[]>();
  readonly #made: TerraformResource[] = [];

  constructor(scope: Construct, id: string, props: PoliciesProps) {
    super(scope, id);
    this.#props = props;
  }

  /** Makes the group of the principals that a rule matches; returns the grantee's name in statements. */
  group(purpose: string, description: string, matchingRule: string): string {
    const { name, tenancyId, inHomeRegion } = this.#props;
    const group = new IdentityDynamicGroup(this, `${purpose}-group`, {
      // Groups are the tenancy's.
      compartmentId: tenancyId,
      name: `${name}-${purpose}`,
      description,
      matchingRule,
      ...inHomeRegion,
    });
    return `dynamic-group ${group.name}`;
  }

  grant(purpose: string, grantee: string, what: string, where?: string): void {
    const condition = where === undefined ? '' : ` where ${where}`;
    const statement = `Allow ${grantee} to ${what} in compartment id ${this.#props.compartmentId}${condition}`;
    this.#statements.set(purpose, [...(this.#statements.get(purpose) ?? []), statement]);
  }

  /** Makes the policy of one purpose now, for what must exist before others do. */
  make(purpose: string): IdentityPolicy {
    const statements = this.#statements.get(purpose) ?? [];
    this.#statements.delete(purpose);
    const { name, compartmentId, inHomeRegion } = this.#props;
    const policy = new IdentityPolicy(this, purpose, {
      compartmentId,
      name: `${name}-${purpose}`,
      description: `${name}: what ${purpose} may do`,
      statements,
      ...inHomeRegion,
    });
    this.#made.push(policy);
    return policy;
  }

  /** Makes what is left; returns all policies. */
  makeAll(): TerraformResource[] {
    for (const purpose of [...this.#statements.keys()]) this.make(purpose);
    return this.#made;
  }
}
