import { LocalBackend, type TerraformStack } from './framework.ts';

interface StateSettings {
  name: string;
  region: string;
  profile: string;
  stateBucket: string;
  stateNamespace: string;
}

/** The local state's name. */
export const stateFile = (name: string): string => `terraform.${name}.tfstate`;

/**
 * Where Terraform keeps its state: a file of this folder, or a bucket through Terraform's own backend for OCI, which
 * locks it (Terraform 1.12 or newer; the framework has no class for it).
 */
export function keepState(stack: TerraformStack, settings: StateSettings): void {
  const { name, region, profile, stateBucket: bucket, stateNamespace: namespace } = settings;
  if (bucket === '') {
    // From cdktf.out/stacks/<stack>, where Terraform runs: beside package.json, since cdktf.out may go at any time.
    new LocalBackend(stack, { path: `../../../${stateFile(name)}` });
    return;
  }
  stack.addOverride('terraform.required_version', '>= 1.12');
  // Without a backend of its own a stack gets a local one.
  stack.addOverride('terraform.backend.local', undefined);
  stack.addOverride('terraform.backend.oci', {
    bucket,
    namespace,
    region,
    key: `${name}/terraform.tfstate`,
    ...(profile !== '' && { config_file_profile: profile }),
  });
}
