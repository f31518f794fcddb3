import { Alert, Button, Group, Slider, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { holdNow } from '../lists/use-now.ts';
import type { Route } from '../route/route.ts';
import { goTo, useMoment, useRoute } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { momentAt, momentText, stepFrom } from './moments.ts';
import type { Moment, Neighbourhood } from './moments.ts';
import { useTimeline } from './use-timeline.ts';

/** A slider over the store's revisions: everything on the page is shown as it was then. */
export function TimeBar({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const route = useRoute();
  const moment = useMoment();
  const { moments, ring, error } = useTimeline('namespace' in route ? route.namespace : '');
  const [dragged, setDragged] = useState<number>();
  const momentMs = moment === undefined ? undefined : momentAt(moments, Number(moment))?.atMs;
  useEffect(() => {
    holdNow(momentMs);
    return () => holdNow(undefined);
  }, [momentMs]);
  if (ring === undefined) return error === undefined ? null : <Refused error={error} onClose={onClose} />;
  const oldest = Number(ring.oldestRevision);
  const current = Math.max(Number(ring.currentRevision), moments.at(-1)?.revision ?? 0, oldest);
  const revision = dragged ?? (moment === undefined ? current : Number(moment));
  const show = (to: number | undefined): void => {
    setDragged(undefined);
    goTo(to === undefined || to >= current ? undefined : String(Math.max(to, oldest)), { replace: true });
  };
  const step = (direction: Neighbourhood['direction']): void =>
    show(stepFrom(moments, { revision, direction, matters: (one) => isAbout(one, route) }));
  const closeBar = (): void => {
    show(undefined);
    onClose();
  };
  return (
    <Stack gap={2} px="md" py={6} component="section" aria-label={text.timeTravel}>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => step('back')}>
          ◀ {text.changeBefore}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => step('on')} disabled={moment === undefined}>
          {text.changeAfter} ▶
        </Button>
        <Slider
          style={{ flex: '1 1 12rem' }}
          min={oldest}
          max={current}
          value={revision}
          onChange={setDragged}
          onChangeEnd={show}
          label={null}
          thumbLabel={text.revision}
        />
        <Button
          size="compact-sm"
          variant={moment === undefined ? 'default' : 'filled'}
          onClick={() => show(undefined)}
          disabled={moment === undefined}
        >
          {text.now}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={closeBar} aria-label={`${text.close}: ${text.timeTravel}`}>
          ✕
        </Button>
      </Group>
      <Told
        moments={moments}
        revision={revision}
        oldest={oldest}
        isNow={moment === undefined && dragged === undefined}
      />
    </Stack>
  );
}

/** Who was led to a moment and may not see the others comes back to now. */
function Refused({ error, onClose }: { readonly error: string; readonly onClose: () => void }): ReactNode {
  const text = useText();
  const close = (): void => {
    goTo(undefined, { replace: true });
    onClose();
  };
  return (
    <Group gap="xs" px="md" py={6} wrap="nowrap" component="section" aria-label={text.timeTravel}>
      <Alert color="red" py={4} style={{ flex: 1, minWidth: 0 }}>
        {error}
      </Alert>
      <Button size="compact-sm" variant="default" onClick={close}>
        {text.now}
      </Button>
    </Group>
  );
}

interface ToldProps {
  readonly moments: readonly Moment[];
  readonly revision: number;
  readonly oldest: number;
  readonly isNow: boolean;
}

function Told({ moments, revision, oldest, isNow }: ToldProps): ReactNode {
  const text = useText();
  const at = momentAt(moments, revision);
  return (
    <Group gap="md" justify="space-between" wrap="nowrap">
      <Text size="xs" truncate aria-live="polite">
        {isNow ? `${text.now} · ` : ''}
        {text.revision} {revision}
        {at === undefined ? '' : ` · ${timeOf(at.atMs)} · ${momentText(at)} · ${at.by}`}
      </Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {text.oldestKept} {oldest}
      </Text>
    </Group>
  );
}

function timeOf(atMs: number): string {
  const wish = { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const;
  return new Date(atMs).toLocaleTimeString([], { ...wish, hour12: false });
}

/** On the page of an object or a kind: what changed it; elsewhere everything. */
function isAbout({ object }: Moment, route: Route): boolean {
  if (!('gvr' in route)) return true;
  if (object === undefined || object.group !== route.gvr.group || object.resource !== route.gvr.resource) return false;
  if (route.namespace !== '' && object.namespace !== route.namespace) return false;
  return route.page !== 'object' || object.name === route.name;
}
