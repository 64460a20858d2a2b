/**
 * The house's arrows (ARCHITECTURE.md, "Rooms of src/"): `npm run arrows` checks them.
 *
 * One rule per room: what lies in it may import what its row names, in src/ and outside, and nothing else.
 * Each `comment` tells whoever trips the rule what to do. Types count as imports. Test files may import anything.
 */
import { allExtensions } from 'dependency-cruiser';

// Without a fitting TypeScript it would read no .ts file, find nothing wrong and say so.
if (!allExtensions.some(({ extension, available }) => extension === '.ts' && available)) {
  throw new Error(
    'dependency-cruiser cannot read TypeScript: its version and that of typescript do not fit each other',
  );
}

const TEST = '\\.test\\.ts$';

/** Files and folders of src/. A room that is a file today may become a folder of that name. */
const room = name => `^src/${name}(/|\\.ts$)`;
const file = path => `^src/${path}\\.ts$`;
const npm = name => `(^|/)node_modules/${name}/`;
const builtin = '^(node:)?[a-z_/0-9]+$';

const LEAVES = {
  errors: file('errors'),
  kube: file('kube'),
  observation: file('observation'),
  decision: file('decision'),
  template: file('template'),
};
const ZOD = npm('zod');
const PINO = npm('pino');
const GRPC = npm('@grpc/grpc-js');
const PROM = npm('prom-client');
const YAML = npm('yaml');
const SDK = `${npm('@crossplane-org/function-sdk-typescript')}|${npm('@bufbuild/protobuf')}`;
const KUBERNETES_CLIENT = npm('@kubernetes/client-node');
const HANDLEBARS = npm('handlebars');
// The one built-in that is a function of its arguments.
const ZLIB = '^(node:)?zlib$';

/** Each row of the table: who, what it may import, and what to do instead of importing something else. */
const ROOMS = [
  {
    name: 'hcl',
    from: room('hcl'),
    may: [room('hcl')],
    comment:
      'hcl/ represents and prints HCL and knows nothing else: not Crossplane, not Kubernetes, no package. ' +
      'Put what knows what a bucket or record is into tofu/, and pass plain values or nodes in.',
  },
  {
    name: 'errors',
    from: LEAVES.errors,
    may: [],
    comment:
      'errors.ts is a leaf that everybody may read: it imports nothing. Put the new thing where its subject lives.',
  },
  {
    name: 'kube',
    from: LEAVES.kube,
    may: [LEAVES.errors],
    comment: 'kube.ts is a leaf: errors.ts only. What knows one kind of object belongs into cluster/ or compose/.',
  },
  {
    name: 'observation',
    from: LEAVES.observation,
    may: [LEAVES.kube],
    comment:
      'observation.ts is the shape that decide.ts reads, free of the wire: kube.ts only. Code that fills it is wire/decode.ts.',
  },
  {
    name: 'decision',
    from: LEAVES.decision,
    may: [LEAVES.kube],
    comment:
      'decision.ts is the shape that decide.ts returns, free of the wire: kube.ts only. Code that reads it is wire/encode.ts.',
  },
  {
    name: 'template',
    from: LEAVES.template,
    may: [LEAVES.errors, HANDLEBARS],
    comment:
      'template.ts fills the templates that users write: errors.ts and handlebars only. Which names are offered is for its caller to say.',
  },
  {
    name: 'extra-module',
    from: room('extra-module'),
    may: [room('extra-module'), LEAVES.errors, LEAVES.template, room('hcl'), HANDLEBARS],
    comment:
      'extra-module/ checks and renders the text that the Composition adds: errors, template, hcl, handlebars. ' +
      'It gets plain data and names; what a bucket or record is belongs into intent/, where the text goes into tofu/.',
  },
  {
    name: 'api',
    from: room('api'),
    may: [
      room('api'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.template,
      room('extra-module'),
      file('intent/(intent|names)'),
      ZOD,
    ],
    comment:
      'api/ turns the untrusted Input and XR into types: errors, kube, template, extra-module, the leaf words intent/intent.ts and intent/names.ts, zod. ' +
      'What depends on other objects of the namespace belongs into intent/.',
  },
  {
    name: 'cluster',
    from: room('cluster'),
    may: [
      room('cluster'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.observation,
      LEAVES.decision,
      file('hcl/scan'),
      file('api/bucket-name'),
      room('gen'),
    ],
    comment:
      'cluster/ names the requirements and parses what came back, one object at a time: errors, kube, the shapes, hcl/scan.ts, the one rule for bucket names, gen/. ' +
      'What several objects together mean belongs into intent/.',
  },
  {
    name: 'intent',
    from: room('intent'),
    may: [room('intent'), LEAVES.errors, LEAVES.kube, LEAVES.template, ...['extra-module', 'api', 'cluster'].map(room)],
    comment:
      'intent/ says what the namespace wants as plain sorted values: errors, kube, template, extra-module, api, cluster. ' +
      'HCL is made in tofu/, Kubernetes objects in compose/, and no package is needed for either.',
  },
  {
    name: 'tofu',
    from: room('tofu'),
    may: [room('tofu'), LEAVES.errors, LEAVES.template, ...['extra-module', 'hcl', 'intent', 'gen'].map(room)],
    comment:
      'tofu/ turns intent into HCL nodes: errors, template, extra-module, hcl, intent, gen. Kubernetes objects around the text are compose/; ' +
      'what it needs to know of the Input or the cluster must be a field of Intent.',
  },
  {
    name: 'compose',
    from: room('compose'),
    may: [
      room('compose'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.decision,
      ...['intent', 'api', 'cluster', 'gen'].map(room),
    ],
    comment:
      'compose/ puts intent and finished text into Kubernetes objects under stable keys: errors, kube, decision, intent, gen, and the ' +
      'parsed Input and objects (api, cluster). It gets the text as a string and never imports hcl/ or tofu/.',
  },
  {
    name: 'report',
    from: room('report'),
    may: [
      room('report'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.decision,
      LEAVES.observation,
      ...['intent', 'api', 'cluster'].map(room),
      ZLIB,
    ],
    comment:
      'report/ says in words what is observed: errors, kube, the shapes, what was parsed (api, cluster) and decided (intent), ' +
      'and zlib for the errors that the provider packs. ' +
      'It decides nothing; a finding that changes what is composed belongs into intent/.',
  },
  {
    name: 'decide',
    from: room('decide'),
    may: [
      room('decide'),
      ...Object.values(LEAVES),
      ...['hcl', 'api', 'cluster', 'intent', 'tofu', 'compose', 'report'].map(room),
    ],
    comment:
      'decide.ts is the story: pure and synchronous, from Observation to Decision. No SDK, no package, no file, no process: ' +
      'convert in wire/, act in server/, main.ts or cli.ts.',
  },
  {
    name: 'case',
    from: room('case'),
    may: [room('case'), room('api'), LEAVES.kube, LEAVES.observation, LEAVES.decision, room('decide'), YAML],
    comment:
      'case/ makes an Observation of YAML that somebody has read: kube, api, the shapes, decide, yaml. Files are read in cli/, ' +
      'and the playground has none.',
  },
  {
    name: 'page',
    from: room('page'),
    may: [
      room('page'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.decision,
      file('hcl/quote'),
      ...['intent', 'cluster', 'compose', 'report', 'decide'].map(room),
      YAML,
    ],
    comment:
      'page/ shows a decision: errors, kube, decision, what was considered (decide, intent, cluster), the words of compose and report, ' +
      'hcl/quote.ts, yaml. It decides nothing and needs no node and no browser; files are written in cli/.',
  },
  {
    name: 'wire',
    from: room('wire'),
    may: [room('wire'), LEAVES.errors, LEAVES.kube, LEAVES.observation, LEAVES.decision, room('decide'), SDK],
    comment:
      'wire/ translates SDK messages to Observation and Decision and back: errors, kube, the shapes, the SDK. It must not know ' +
      'a bucket from a record; put meaning into the rooms behind decide.ts.',
  },
  {
    name: 'function',
    from: room('function'),
    may: [
      room('function'),
      room('decide'),
      room('wire'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.observation,
      LEAVES.decision,
      SDK,
      PINO,
    ],
    comment:
      'function.ts is encode(decide(decode(request))) with the one try/catch and one log line: decide, wire, errors, kube, the shapes, the SDK, pino. ' +
      'Anything more has a room of its own.',
  },
  {
    name: 'server',
    from: room('server'),
    may: [room('server'), room('function'), LEAVES.errors, SDK, GRPC, PINO, PROM, builtin],
    comment:
      'server/ carries function.ts over gRPC: function, errors, the SDK, grpc-js, pino, prom-client, node. It knows nothing of what is decided.',
  },
  {
    name: 'main',
    from: file('main'),
    may: [room('server'), room('function'), room('decide'), LEAVES.errors, builtin],
    comment:
      'main.ts owns the process: flags, signals, exit code. What listens is server/, what answers is function.ts.',
  },
  {
    name: 'cli',
    from: room('cli'),
    may: [
      room('cli'),
      ...Object.values(LEAVES),
      ...['hcl', 'api', 'cluster', 'intent', 'tofu', 'compose', 'report', 'decide', 'case', 'page'].map(room),
      // Commands about what is live, and about infra/.
      ...['live', 'claims', 'teardown', 'adopt', 'b2', 'infra', 'doctor', 'drift'].map(room),
      YAML,
      builtin,
    ],
    comment:
      'cli.ts owns the terminal: files, clusters and processes in, words out. It must not need the wire or the server; ' +
      'what both it and the function need belongs behind decide.ts, what an API server answers into live/, what Backblaze does into b2/.',
  },
  {
    name: 'doctor',
    from: room('doctor'),
    may: [
      room('doctor'),
      LEAVES.errors,
      LEAVES.kube,
      LEAVES.template,
      ...['infra', 'api', 'cluster', 'intent', 'report'].map(room),
      file('live/snapshot'),
    ],
    comment:
      'doctor/ says what is wrong between the layers: errors, kube, template, infra, live/snapshot.ts, and what the function reads and says ' +
      'with (api, cluster, intent, report). Texts and the snapshot come in; cli/ reads files and clusters.',
  },
  {
    name: 'drift',
    from: room('drift'),
    may: [room('drift'), LEAVES.errors, LEAVES.kube, file('live/snapshot')],
    comment:
      'drift/ makes rows of what tools printed and objects say: errors, kube, live/snapshot.ts. Processes run in cli/, and nothing of ' +
      'their output but counts and addresses goes on.',
  },
  {
    name: 'infra',
    from: room('infra'),
    may: [room('infra'), LEAVES.errors, LEAVES.kube, file('hcl/scan-token'), YAML],
    comment:
      'infra/ reads what the trees of infra/ say and compares them: errors, kube, the tokens of hcl, yaml. It gets texts and returns ' +
      'findings; whoever reads the files (cli/, a test) passes them in.',
  },
  {
    name: 'live',
    from: room('live'),
    may: [room('live'), LEAVES.errors, LEAVES.kube, KUBERNETES_CLIENT],
    comment:
      'live/ reads what a cluster holds at one time: errors, kube, the Kubernetes client. What the objects mean is for those who ' +
      'get the snapshot; nothing here writes.',
  },
  {
    name: 'b2',
    from: room('b2'),
    may: [room('b2'), LEAVES.errors, LEAVES.kube],
    comment:
      'b2/ asks what a Backblaze account says, by calls that only read: errors, kube. What follows from the answers belongs into ' +
      'teardown/ or adopt/; keys come from cli/.',
  },
  {
    name: 'claims',
    from: room('claims'),
    may: [room('claims'), LEAVES.errors, LEAVES.kube, ...['live', 'cluster', 'intent'].map(room), file('tofu/marker')],
    comment:
      'claims.ts finds who in the cluster speaks of a bucket: errors, kube, live, what parses objects (cluster, intent), tofu/marker. ' +
      'What to do about a claim belongs into teardown/ or adopt/.',
  },
  {
    name: 'teardown',
    from: room('teardown'),
    may: [
      room('teardown'),
      LEAVES.errors,
      LEAVES.kube,
      ...['live', 'claims', 'api', 'cluster', 'intent', 'compose'].map(room),
      file('hcl/scan'),
      file('report/conditions'),
      file('tofu/marker'),
    ],
    comment:
      'teardown/ plans how a namespace is unwound, from what was read: errors, kube, live, claims, hcl/scan, api, cluster, intent, compose, ' +
      'report/conditions, tofu/marker. It asks nobody and prints nothing: cli/ does.',
  },
  {
    name: 'adopt',
    from: room('adopt'),
    may: [
      room('adopt'),
      LEAVES.errors,
      LEAVES.kube,
      ...['live', 'claims', 'api', 'cluster', 'intent'].map(room),
      file('b2/account'),
      file('report/status'),
    ],
    comment:
      'adopt/ says which buckets a namespace may import, from what was read: errors, kube, live, claims, b2/account, api, cluster, intent, ' +
      'report/status. It asks nobody and prints nothing: cli/ does.',
  },
  {
    name: 'gen',
    from: room('gen'),
    may: [room('gen')],
    comment:
      'gen/ is generated and stands alone. Change the generator in scripts/, run `npm run generate`, and write by hand elsewhere.',
  },
];

/** Doors that matter so much that they have a rule of their own beside the rooms' rows. */
const DOORS = [
  {
    name: 'sdk-behind-the-door',
    comment:
      'The SDK merges what must be assigned and types Structs as any, so only wire/, function.ts and server/ may touch it. ' +
      'Add what you need to Observation or Decision and convert it in wire/.',
    from: { path: '^src/', pathNot: [TEST, room('wire'), room('function'), room('server')] },
    to: { path: SDK },
  },
  {
    name: 'process-and-files-at-the-border',
    comment:
      'Files, network, clock and process belong to main.ts, cli.ts and server/: everything else is a function of its arguments, ' +
      'so that the same request gives the same bytes. Read there and pass the value in.',
    from: { path: '^src/', pathNot: [TEST, room('main'), room('cli'), room('server')] },
    to: { dependencyTypes: ['core'], pathNot: ZLIB },
  },
];

const HOUSE = [
  {
    name: 'no-cycles',
    comment:
      'Two files that import each other cannot be read one after the other. Move what both need into the one that stands lower.',
    from: { path: '^src/' },
    to: { circular: true },
  },
  {
    name: 'no-dead-files',
    comment:
      'Neither main.ts nor cli.ts reaches this file: delete it, or call it. A helper of tests alone belongs into test/, ' +
      'a generated file that nobody reads out of the generator.',
    from: { path: [file('main'), file('cli')] },
    to: { path: '^src/', pathNot: [TEST, file('main'), file('cli')], reachable: false },
  },
  {
    name: 'no-tests-in-the-product',
    comment:
      'What ships must not import tests, test helpers, scripts or examples. Move the shared part into the room that it speaks of.',
    from: { path: '^src/', pathNot: TEST },
    to: { path: [TEST, '^(test|scripts|examples|tools|bench)/'] },
  },
  {
    name: 'no-file-without-a-room',
    comment:
      'Every file of src/ lies in a room with a row in this file and in ARCHITECTURE.md. Move it into one, or add a row to both.',
    from: {},
    to: { path: '^src/', pathNot: [TEST, ...ROOMS.map(({ from }) => from)] },
  },
  {
    name: 'no-import-that-does-not-resolve',
    comment:
      'There is no such file or package. Mind the .ts ending, and add packages to dependencies (not devDependencies) of package.json.',
    from: { path: '^src/' },
    to: { couldNotResolve: true },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...ROOMS.map(({ name, from, may, comment }) => ({
      name: `room-${name}`,
      comment,
      severity: 'error',
      from: { path: from, pathNot: TEST },
      // no-tests-in-the-product and no-import-that-does-not-resolve say it better where they apply.
      to: { pathNot: [TEST, ...may], couldNotResolve: false },
    })),
    ...[...DOORS, ...HOUSE].map(rule => ({ severity: 'error', ...rule })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // `import type` is an arrow too.
    tsPreCompilationDeps: true,
    detectJSDocImports: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
