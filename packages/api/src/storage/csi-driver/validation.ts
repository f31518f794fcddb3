import type { FieldError } from '@binnacle/machinery';
import type { CSIDriver, TokenRequest } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateDriverName } from '../driver-name.ts';

const SPEC = fieldPath('spec');
const MODES = ['Ephemeral', 'Persistent'];
const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;
const UPDATE_SECONDS_MIN = 10;

export function validateCsiDriver(driver: CSIDriver): FieldError[] {
  const report = new Report();
  validateDriverName(driver.metadata.name, fieldPath('name'), report);
  validateSpec(driver, report);
  return report.errors;
}

export function validateCsiDriverUpdate(driver: CSIDriver, before: CSIDriver): FieldError[] {
  const report = new Report();
  validateSpec(driver, report);
  const [now, old] = [driver.spec ?? {}, before.spec ?? {}];
  report.immutable(
    SPEC.child('attachedRequired'),
    now.attachRequired ?? null,
    now.attachRequired === old.attachRequired,
  );
  const sameModes = isSemanticallyEqual(
    'storage.v1.CSIDriverSpec.volumeLifecycleModes',
    now.volumeLifecycleModes,
    old.volumeLifecycleModes,
  );
  report.immutable(SPEC.child('volumeLifecycleModes'), now.volumeLifecycleModes ?? null, sameModes);
  return report.errors;
}

function validateSpec(driver: CSIDriver, report: Report): void {
  const spec = driver.spec ?? {};
  // Upstream's name for it.
  if (spec.attachRequired === undefined) report.required(SPEC.child('attachedRequired'));
  for (const field of ['podInfoOnMount', 'storageCapacity', 'seLinuxMount'] as const) {
    if (spec[field] === undefined) report.required(SPEC.child(field));
  }
  const policy = spec.fsGroupPolicy;
  if (policy === undefined) report.required(SPEC.child('fsGroupPolicy'));
  else if (!GROUP_POLICIES.includes(policy)) report.unsupported(SPEC.child('fsGroupPolicy'), policy, GROUP_POLICIES);
  validateTokens(spec.tokenRequests ?? [], SPEC.child('tokenRequests'), report);
  for (const [at, mode] of (spec.volumeLifecycleModes ?? []).entries()) {
    if (!MODES.includes(mode)) report.unsupported(SPEC.child('volumeLifecycleModes').index(at), mode, MODES);
  }
  const seconds = spec.nodeAllocatableUpdatePeriodSeconds;
  if (seconds !== undefined && seconds < UPDATE_SECONDS_MIN) {
    const detail = `must be greater than or equal to ${UPDATE_SECONDS_MIN} seconds`;
    report.invalid(SPEC.child('nodeAllocatableUpdatePeriodSeconds'), seconds, detail);
  }
}

function validateTokens(requests: readonly TokenRequest[], path: FieldPath, report: Report): void {
  const audiences = new Set<string>();
  for (const [at, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const here = path.index(at);
    if (audiences.has(audience)) report.duplicate(here.child('audience'), audience);
    audiences.add(audience);
    if (seconds === undefined) continue;
    const secondsPath = here.child('expirationSeconds');
    if (seconds < TOKEN_SECONDS_MIN)
      report.invalid(secondsPath, seconds, 'may not specify a duration less than 10 minutes');
    if (seconds > TOKEN_SECONDS_MAX) {
      report.invalid(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds');
    }
  }
}
