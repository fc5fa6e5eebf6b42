import { TerraformOutput, type TerraformStack } from './framework.ts';
import type { ResolvedDeployment } from './settings.ts';

interface OutputProps {
  deployment: ResolvedDeployment;
  /** Of the API. */
  url: string;
  namespace: string;
  documentsBucket: string;
  modelBucket: string;
  databaseId: string;
  applicationId: string;
}

/** What a deploy prints: where the API is, how to get a token, three calls to try, and where to look. */
export function outputs(stack: TerraformStack, props: OutputProps): void {
  const { deployment, url, namespace, documentsBucket, modelBucket, databaseId, applicationId } = props;
  const { region, authIssuer, authAudience, authEmployeeClaim, compartmentId } = deployment;
  const console = `https://cloud.oracle.com`;
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  const values: Record<string, string> = {
    url,
    token:
      `A token of ${authIssuer} for the audience ${authAudience}, whose claim ${authEmployeeClaim} is the subject of an ` +
      'employee; to write records before there are employees, one with the scope rag.write. Put it into $TOKEN.',
    try_1_write: `curl -s -X PUT ${url}/v1/employees/1 ${bearer} -d '{"firstName":"Ada","lastName":"Smith","role":"admin","subject":"<the claim ${authEmployeeClaim} of your token>"}'`,
    try_2_record: `curl -s -X PUT ${url}/v1/tasks/1 ${bearer} -d '{"title":"Repair the coffee machine","description":"A new pump costs 89 euros."}'`,
    try_3_ask: `curl -s ${url}/v1/ask ${bearer} -d '{"question":"What does a new pump for the coffee machine cost?"}'`,
    dashboard_functions: `${console}/functions/apps/${applicationId}?region=${region}`,
    dashboard_database: `${console}/db/adbs/${databaseId}?region=${region}`,
    dashboard_alarms: `${console}/monitoring/alarms?region=${region}`,
    dashboard_logs: `${console}/logging/search?region=${region}`,
    region,
    compartment: compartmentId,
    object_storage_namespace: namespace,
    documents_bucket: documentsBucket,
    model_bucket: modelBucket,
  };
  for (const [name, value] of Object.entries(values)) {
    new TerraformOutput(stack, `output-${name}`, { value, staticId: true }).overrideLogicalId(name);
  }
}
