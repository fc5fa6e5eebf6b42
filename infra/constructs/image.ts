import { Image } from '@cdktf/provider-docker/lib/image/index.js';
import { DockerProvider } from '@cdktf/provider-docker/lib/provider/index.js';
import { RegistryImage } from '@cdktf/provider-docker/lib/registry-image/index.js';
import { ArtifactsContainerRepository } from '@cdktf/provider-oci/artifacts-container-repository';
import { Construct, TerraformStack } from '../framework.ts';

/** Where the image comes from: one that exists, a folder that Docker builds, or nowhere yet. */
export type ImageSource =
  | { image: string; digest: string | null }
  | { folder: string; hash: string; loginFile: string | null }
  | null;

/** Stands for the image that is not there. */
export const NO_IMAGE = 'placeholder/image:none';

const DOCKER_PROVIDER = '3.6.2';

interface FunctionImageProps {
  name: string;
  compartmentId: string;
  namespace: string;
  region: string;
  source: ImageSource;
}

/** The repository, and the one image that all functions run. */
export class FunctionImage extends Construct {
  /** The image's name with its tag. */
  readonly image: string;
  /** Null where the tag alone names it. */
  readonly digest: string | null;

  constructor(scope: Construct, id: string, { name, compartmentId, namespace, region, source }: FunctionImageProps) {
    super(scope, id);
    const repository = new ArtifactsContainerRepository(this, 'repository', {
      compartmentId,
      displayName: name,
      isPublic: false,
    });
    const registry = `${region}.ocir.io`;
    if (source === null || 'image' in source) {
      this.image = source?.image ?? `${registry}/${NO_IMAGE}`;
      this.digest = source?.digest ?? null;
      return;
    }
    const successorFirst = { lifecycle: { createBeforeDestroy: true } };
    // Docker's own login file holds the password: docker login, once. The provider takes DOCKER_CONFIG for a file.
    const docker = new DockerProvider(this, 'docker', {
      registryAuth: [{ address: registry, ...(source.loginFile !== null && { configFile: source.loginFile }) }],
    });
    // That of its bindings; they allow any 3.x.
    TerraformStack.of(this).addOverride('terraform.required_providers.docker.version', DOCKER_PROVIDER);
    const built = new Image(this, 'built', {
      provider: docker,
      // The content's hash: a function does not see that a tag means another image.
      name: `${registry}/${namespace}/${repository.displayName}:${source.hash}`,
      buildAttribute: { context: source.folder, platform: 'linux/amd64' },
      triggers: { content: source.hash },
      keepLocally: true,
      ...successorFirst,
    });
    const pushed = new RegistryImage(this, 'pushed', {
      provider: docker,
      name: built.name,
      triggers: { content: source.hash },
      // Functions run the image that goes until they know of the next one.
      keepRemotely: true,
      ...successorFirst,
    });
    this.image = pushed.name;
    this.digest = pushed.sha256Digest;
  }
}
