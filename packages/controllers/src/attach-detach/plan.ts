/** Where a volume is, or is on its way from or to. */
export interface Attachment {
  readonly node: string;
  /** Somebody deletes it: its driver detaches the volume. */
  readonly leaving: boolean;
  /** For how long nobody has wanted it any more, ms. */
  readonly unwantedMs: number;
}

/** What matters of a node that has a volume. */
export interface VolumeHost {
  /** `node.status.volumesInUse` names the volume; of a node that is gone nobody knows better. */
  readonly inUse: boolean;
  readonly ready: boolean;
  /** It has the taint `node.kubernetes.io/out-of-service`: an operator says that nothing runs there. */
  readonly outOfService: boolean;
}

/** One volume of a driver that attaches, as the caches show it. */
export interface AttachmentView {
  /** The nodes whose pods use the volume, first come first. */
  readonly wanted: readonly string[];
  readonly attachments: readonly Attachment[];
  readonly hosts: ReadonlyMap<string, VolumeHost>;
  /** The volume may be on one node at a time only. */
  readonly exclusive: boolean;
  /** A node that is not ready keeps what it uses for this long, ms; Infinity: for as long as it says so. */
  readonly patienceMs: number;
}

/** What to do about one volume. */
export interface AttachmentPlan {
  /** `forced`: whatever the node says. */
  readonly detach: readonly { readonly node: string; readonly forced: boolean }[];
  readonly attach: readonly string[];
  /** Nodes that have to wait for others to let the volume go. */
  readonly blocked: readonly string[];
  /** When time alone may change the plan, ms. */
  readonly againInMs?: number;
}

/** Detaches go before attaches, so that a volume can follow its pod to another node. */
export function planAttachments(view: AttachmentView): AttachmentPlan {
  const there = new Set(view.attachments.map(({ node }) => node));
  const missing = view.wanted.filter((node) => !there.has(node));
  const { detach, againInMs } = planDetaches(view);
  const again = againInMs === undefined ? {} : { againInMs };
  if (!view.exclusive) return { detach, attach: missing, blocked: [], ...again };
  if (there.size > 0) return { detach, attach: [], blocked: missing, ...again };
  return { detach, attach: missing.slice(0, 1), blocked: missing.slice(1), ...again };
}

function planDetaches(view: AttachmentView): { detach: AttachmentPlan['detach']; againInMs: number | undefined } {
  const detach: { node: string; forced: boolean }[] = [];
  let againInMs: number | undefined;
  for (const { node, leaving, unwantedMs } of view.attachments) {
    if (leaving || view.wanted.includes(node)) continue;
    const host = view.hosts.get(node);
    const outOfService = host?.outOfService === true;
    const patient = host?.ready === true || unwantedMs < view.patienceMs;
    const inUse = host === undefined || host.inUse;
    if (!inUse) detach.push({ node, forced: false });
    else if (outOfService || !patient) detach.push({ node, forced: true });
    else if (host?.ready !== true && Number.isFinite(view.patienceMs)) {
      againInMs = Math.min(againInMs ?? Number.POSITIVE_INFINITY, view.patienceMs - unwantedMs);
    }
  }
  return { detach, againInMs };
}
