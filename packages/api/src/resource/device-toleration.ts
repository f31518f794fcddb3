import type { DeviceTaint, DeviceToleration } from '../generated/resource-v1.ts';

/** Whether a toleration is for the taint: by key (all when it says none), value and effect. */
export function toleratesDeviceTaint(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  const { key = '', operator = 'Equal', value = '', effect } = toleration;
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (operator === 'Equal' && key !== '' && value === (taint.value ?? ''));
}

/** Whether the device may be chosen in spite of its taints. Those without effect only inform. */
export function toleratesAll(
  tolerations: readonly DeviceToleration[],
  taints: readonly DeviceTaint[] | undefined,
): boolean {
  return (taints ?? []).every(
    (taint) => taint.effect === 'None' || tolerations.some((one) => toleratesDeviceTaint(one, taint)),
  );
}
