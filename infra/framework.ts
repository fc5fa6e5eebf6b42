// The one door to the framework: a move to another distribution of it changes this file and the bindings' package.
export {
  App,
  Fn,
  LocalBackend,
  type TerraformMetaArguments,
  TerraformOutput,
  TerraformResource,
  TerraformStack,
} from 'cdktf';
export { Construct } from 'constructs';
