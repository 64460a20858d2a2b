/**
 * Writes every generated file. CI runs it and demands no diff.
 */
import { generateFailureModes } from './generate-failure-modes.ts';
import { generateProviderTypes } from './generate-provider-types.ts';
import { generateKubernetesTypes } from './generate-kubernetes-types.ts';
import { generateSchemas } from './generate-schemas.ts';

await generateProviderTypes();
await generateKubernetesTypes();
await generateSchemas();
await generateFailureModes();
