import { join } from 'node:path';
import { loadPackageDefinition, Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { deletionRefusals, planRefusals, refusals } from './checks.ts';
import type { Cloud } from './cloud.ts';
import { fill, fillData } from './computed.ts';
import { forcesNew } from './force-new.ts';
import { type Block, mapComputed, type ProviderSchema, readSchema, schemaToWire } from './schema.ts';
import { type DynamicValue, type Fields, fromWire, same, text, toWire, UNKNOWN } from './values.ts';

interface Request {
  type_name: string;
  id: string;
  config: DynamicValue;
  current_state: DynamicValue;
  prior_state: DynamicValue;
  proposed_new_state: DynamicValue;
  planned_state: DynamicValue;
  raw_state: { json: Uint8Array };
}

const PROTO = join(import.meta.dirname, 'tfplugin5.proto');

const errors = (faults: string[]) => faults.map((summary) => ({ severity: 'ERROR', summary }));

/** Answers for oracle/oci on a socket; without TLS, since Terraform asks for none where it did not start the provider. */
export async function serveProvider(cloud: Cloud, socket: string): Promise<{ stop(): void }> {
  const proto = loadPackageDefinition(
    loadSync(PROTO, { keepCase: true, longs: Number, enums: String, defaults: true }),
  );
  const { Provider } = proto.tfplugin5 as unknown as { Provider: { service: never } };
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(Provider.service, answering(handlers(cloud, readSchema())));
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return { stop: () => server.forceShutdown() };
}

/** What throws is told as an error of Terraform's rather than as a broken connection. */
const answering = (all: Record<string, (request: Request) => object>): UntypedServiceImplementation =>
  Object.fromEntries(
    Object.entries(all).map(([name, handle]) => [
      name,
      ({ request }: { request: Request }, reply: (error: null, answer: object) => void) => {
        try {
          reply(null, handle(request));
        } catch (error) {
          reply(null, { diagnostics: errors([(error as Error).message]) });
        }
      },
    ]),
  );

function handlers(cloud: Cloud, schema: ProviderSchema): Record<string, (request: Request) => object> {
  const blockOf = (type: string): Block => schema.resource_schemas[type]?.block ?? {};
  const nothingToSay = () => ({ diagnostics: [] });
  return {
    GetSchema: () => schemaToWire(schema),
    PrepareProviderConfig: ({ config }) => ({ prepared_config: config }),
    ValidateResourceTypeConfig: nothingToSay,
    ValidateDataSourceConfig: nothingToSay,
    Configure: nothingToSay,
    Stop: () => ({}),
    UpgradeResourceState: ({ raw_state }) => ({ state: { json: raw_state.json } }),
    ReadResource: ({ current_state }) => ({
      state: toWire(cloud.byId(text(fromWire(current_state)?.id))?.state ?? null),
    }),
    ReadDataSource: ({ type_name, config }) => ({
      state: toWire(
        fillData(cloud, type_name, schema.data_source_schemas[type_name]?.block ?? {}, fromWire(config) ?? {}),
      ),
    }),
    ImportResourceState: ({ type_name, id }) => {
      const found = cloud.byId(id);
      return found?.type === type_name
        ? { imported_resources: [{ type_name, state: toWire(found.state) }] }
        : { diagnostics: errors([`404-NotAuthorizedOrNotFound, ${id}`]) };
    },
    PlanResourceChange: ({ type_name, prior_state, proposed_new_state }) => {
      const proposed = fromWire(proposed_new_state);
      if (proposed === null) return { planned_state: toWire(null) };
      const prior = fromWire(prior_state);
      const replaced = prior === null ? [] : changesOf(type_name, prior, proposed);
      return {
        planned_state: toWire(plan(blockOf(type_name), prior, proposed)),
        requires_replace: replaced.map((attribute_name) => ({ steps: [{ attribute_name }] })),
        diagnostics: errors(planRefusals(type_name, proposed)),
      };
    },
    ApplyResourceChange: ({ type_name, prior_state, planned_state, config }) => {
      const prior = fromWire(prior_state);
      const planned = fromWire(planned_state);
      const refused = (faults: string[]) => ({ new_state: prior_state, diagnostics: errors(faults) });
      const existing = prior === null ? undefined : cloud.byId(text(prior.id));
      if (planned === null) {
        const faults = existing === undefined ? [] : deletionRefusals(cloud, existing);
        if (faults.length > 0) return refused(faults);
        if (existing !== undefined) cloud.deleted(existing);
        return { new_state: toWire(null) };
      }
      const given = fromWire(config) ?? {};
      const faults = refusals(cloud, type_name, given, prior);
      if (faults.length > 0) return refused(faults);
      if (prior !== null && existing === undefined) return refused([`404-NotAuthorizedOrNotFound, ${text(prior.id)}`]);
      let state: Fields;
      try {
        state = fill(cloud, type_name, blockOf(type_name), planned);
      } catch (error) {
        return refused([`502-FunctionInvokeExecutionFailed, ${(error as Error).message}`]);
      }
      if (existing === undefined) {
        const id = text(state.id);
        cloud.created({ type: type_name, name: cloud.nameFor(given, state), id, config: given, state });
      } else {
        cloud.updated(existing, given, state);
      }
      return { new_state: toWire(state) };
    },
  };
}

/** What the service computes is unknown of what is new, and stays as it is where a resource only changes. */
function plan(block: Block, prior: Fields | null, proposed: Fields): Fields {
  if (prior !== null && same(prior, proposed)) return prior;
  return mapComputed(block, proposed, (value, _name, _type, depth) =>
    value === null && (prior === null || depth > 0) ? UNKNOWN : value,
  );
}

const changesOf = (type: string, prior: Fields, proposed: Fields): string[] =>
  Object.keys(proposed).filter((name) => forcesNew(type, name) && !same(prior[name], proposed[name]));
