import { warnOfName, warnOfTemplate } from '../core/pod/warnings.ts';
import type { PodTemplateSpec } from '../generated/core-v1.ts';
import { fieldPath } from '../validation/path.ts';
import type { Warnings } from '../validation/warnings.ts';

const TEMPLATE = fieldPath('spec', 'template');
const POD_NAMES = 'this is used in Pod names and hostnames';

interface Workload {
  readonly metadata: { readonly name?: string; readonly generation?: number };
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/** Of a new workload whose pods are called after it: of a name that is no DNS label. */
export function warnOfWorkloadName({ metadata }: Workload, before: Workload | undefined, warnings: Warnings): void {
  if (before === undefined) warnOfName(metadata.name, POD_NAMES, warnings);
}

/** Of the template of a workload; of a change, only where something was asked for anew. */
export function warnOfWorkloadTemplate(workload: Workload, before: Workload | undefined, warnings: Warnings): void {
  if (isAskedAnew(workload, before)) warnOfTemplate(workload.spec?.template, TEMPLATE, warnings);
}

/** New, or changed in its spec. */
export function isAskedAnew(workload: Workload, before: Workload | undefined): boolean {
  return before === undefined || workload.metadata.generation !== before.metadata.generation;
}
