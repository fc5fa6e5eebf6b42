/** The arrows of docs/architecture.md: imports run one way only. */
const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: '^(functions|scripts|infra|test)/', pathNot: allowed },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('core', '^functions/core/', ['^functions/core/'], 'core imports nothing of ours'),
    only('ports', '^functions/ports/', ['^functions/(core|ports)/'], 'ports know core alone'),
    only('store', '^functions/store/', ['^functions/(core|ports|store)/'], 'store knows ports and core'),
    only(
      'adapters',
      '^functions/adapters/',
      ['^functions/(core|ports|adapters)/', '^functions/http\\.ts$'],
      'adapters know ports and core, and the shape of a call',
    ),
    only(
      'use-cases',
      '^functions/(ask|ingest|drain|bootstrap)/(?!func\\.ts$)',
      [
        '^functions/(core|ports|store)/',
        '^functions/(routes?|(file-)?shapes|http)\\.ts$',
        '^functions/(ask|ingest|drain|bootstrap)/(?!func\\.ts$)',
      ],
      'a use case never imports an adapter, nor what chooses one',
    ),
    only(
      'entries',
      '^functions/(ask|ingest|drain|bootstrap)/func\\.ts$',
      [
        '^functions/(core|ports|store)/',
        '^functions/adapters/fdk/',
        '^functions/(routes?|(file-)?shapes|http|services|openapi)\\.ts$',
        '^functions/(ask|ingest|drain|bootstrap)/(?!func\\.ts$)',
      ],
      'an entry joins a use case, the services and the FDK',
    ),
    only('product', '^functions/', ['^functions/'], 'the product knows neither scripts nor tests'),
    only(
      'infra',
      '^infra/',
      ['^infra/', '^functions/(routes?|config)\\.ts$', '^scripts/(image|model)/'],
      'the deployment knows the route table, the settings, and what makes the image and the model',
    ),
    {
      name: 'framework',
      severity: 'error',
      comment: 'a move to another distribution of the framework is a change of one file',
      from: { path: '^(infra|scripts|test)/', pathNot: '^infra/(framework\\.ts$|provider-oci/)' },
      to: { path: '^(node_modules/)?(cdktf|constructs)(/|$)' },
    },
    {
      name: 'vendors',
      severity: 'error',
      comment: 'only adapters know a vendor',
      from: { path: '^functions/', pathNot: '^functions/adapters/' },
      to: { path: '^(node_modules/(pg|jose|oracledb|oci-|@fnproject)|@fnproject)' },
    },
    {
      name: 'oracle-and-postgres-apart',
      severity: 'error',
      from: { path: '^functions/adapters/([^/]+)/' },
      to: { path: '^functions/adapters/', pathNot: '^functions/adapters/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
