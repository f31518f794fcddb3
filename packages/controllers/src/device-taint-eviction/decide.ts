import { toleratesDeviceTaint } from '@binnacle/api';
import type { DeviceTaint, ResourceClaim } from '@binnacle/api/resource/v1';

/** The taints of a device that claims have; undefined: nobody publishes it any more. */
export type TaintsOf = (driver: string, pool: string, device: string) => readonly DeviceTaint[] | undefined;

/**
 * When the users of a claim have to leave because of taints of its devices, milliseconds since the epoch; undefined: never. Of
 * several tolerations of one taint the shortest counts, of several taints the earliest.
 */
export function evictionTimeMs(claim: ResourceClaim, taintsOf: TaintsOf, nowMs: number): number | undefined {
  let leaveAt: number | undefined;
  for (const { driver, pool, device, tolerations = [] } of claim.status?.allocation?.devices?.results ?? []) {
    for (const taint of taintsOf(driver, pool, device) ?? []) {
      if (taint.effect !== 'NoExecute') continue;
      const since = Date.parse(taint.timeAdded ?? '');
      const tolerated = tolerations.filter((one) => toleratesDeviceTaint(one, taint));
      if (tolerated.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) continue;
      const seconds = tolerated.map(({ tolerationSeconds = 0 }) => tolerationSeconds);
      const stay = seconds.length === 0 ? 0 : Math.max(0, Math.min(...seconds));
      const at = (Number.isNaN(since) ? nowMs : since) + stay * 1000;
      leaveAt = Math.min(leaveAt ?? at, at);
    }
  }
  return leaveAt;
}
