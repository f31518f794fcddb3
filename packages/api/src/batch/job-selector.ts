import type { Draft } from '../draft.ts';
import type { Job } from '../generated/batch-v1.ts';
import {
  LABEL_JOB_CONTROLLER_UID,
  LABEL_JOB_CONTROLLER_UID_LEGACY,
  LABEL_JOB_NAME,
  LABEL_JOB_NAME_LEGACY,
} from '../wellknown.ts';

/**
 * Makes a new job select its own pods and no others: a selector by the job's uid, and labels with its uid and name
 * for the pods. Labels that the template has already are left for validation to judge; a job whose selector is made
 * by hand stays as it is. Upstream's batch strategy does this before a job is created.
 */
export function generateJobSelector(job: Draft<Job>): void {
  const { metadata, spec } = job;
  if (!spec?.template || spec.manualSelector === true) return;
  const name = metadata.name ?? '';
  const uid = metadata.uid ?? '';
  const template = (spec.template.metadata ??= {});
  template.labels = {
    [LABEL_JOB_NAME_LEGACY]: name,
    [LABEL_JOB_NAME]: name,
    [LABEL_JOB_CONTROLLER_UID_LEGACY]: uid,
    [LABEL_JOB_CONTROLLER_UID]: uid,
    ...template.labels,
  };
  // Upstream fills these in by default whenever it reads the job: by then the template has them.
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...template.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels ??= {};
  selector.matchLabels[LABEL_JOB_CONTROLLER_UID] ??= uid;
}
