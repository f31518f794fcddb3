import { Alert, Badge, Breadcrumbs, Group, Loader, Stack, Tabs, Text, Title } from '@mantine/core';
import { TRACE_GROUP } from '@binnacle/trace';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { again } from '../api/again.ts';
import { ActionBar } from '../actions/action-bar.tsx';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import type { ApiObject } from '../live/rows.ts';
import { LogsTab } from '../logs/logs-tab.tsx';
import { useRights } from '../rights/use-rights.ts';
import type { Rights } from '../rights/use-rights.ts';
import { Link } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import type { Route } from '../route/route.ts';
import { go, useMoment } from '../route/use-route.ts';
import type { Texts } from '../texts/english.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { EventsTab } from './events-tab.tsx';
import { RelatedTab } from './related-tab.tsx';
import { SummaryTab } from './summary-tab.tsx';
import type { TabProps } from './tab-props.ts';
import { useObject } from './use-object.ts';
import { YamlTab } from './yaml-tab.tsx';

type ObjectRoute = Extract<Route, { readonly page: 'object' }>;

/** What of the cluster decides which tabs there are. */
interface Seen {
  readonly rights: Rights;
  /** Only Binnacle's own API server keeps a trace. */
  readonly hasTrace: boolean;
  /** Nobody runs anything in the past. */
  readonly isPast: boolean;
}

interface TabOf {
  readonly name: string;
  readonly label: keyof Texts;
  /** Whether the kind has it, and the viewer may see it. */
  fits(kind: Resource, seen: Seen): boolean;
  /** Shows something of what is gone, too. */
  readonly outlives?: boolean;
  readonly Content: (props: TabProps) => ReactNode;
}

// Loaded when somebody opens them.
const WhyTab = lazy(async () => ({ default: (await again(() => import('../why/why-tab.tsx'))).WhyTab }));
const HistoryTab = lazy(async () => ({
  default: (await again(() => import('../history/history-tab.tsx'))).HistoryTab,
}));
const TerminalTab = lazy(async () => ({
  default: (await again(() => import('../terminal/terminal-tab.tsx'))).TerminalTab,
}));

const always = (): boolean => true;

/** What an object shows, by what discovery says of its kind. */
const TABS: readonly TabOf[] = [
  { name: 'summary', label: 'summary', fits: always, Content: SummaryTab },
  { name: 'why', label: 'why', fits: (_kind, { hasTrace }) => hasTrace, outlives: true, Content: WhyTab },
  { name: 'yaml', label: 'yaml', fits: always, Content: YamlTab },
  {
    name: 'history',
    label: 'history',
    fits: (_kind, { hasTrace }) => hasTrace,
    outlives: true,
    Content: HistoryTab,
  },
  { name: 'events', label: 'events', fits: always, Content: EventsTab },
  { name: 'related', label: 'related', fits: always, Content: RelatedTab },
  {
    name: 'logs',
    label: 'logs',
    fits: ({ group, resource, subresources }, { rights, isPast }) =>
      !isPast && subresources.includes('log') && rights({ verb: 'get', group, resource, subresource: 'log' }),
    Content: LogsTab,
  },
  {
    name: 'terminal',
    label: 'terminal',
    fits: ({ group, resource, subresources }, { rights, isPast }) =>
      !isPast && subresources.includes('exec') && rights({ verb: 'create', group, resource, subresource: 'exec' }),
    Content: TerminalTab,
  },
];

/** One object: what it is, what it is part of, what happened to it, and what can be done with it. */
export function ObjectPage({ kind, route }: { readonly kind: Resource; readonly route: ObjectRoute }): ReactNode {
  const text = useText();
  const { object, state, error } = useObject(kind, route);
  const rights = useRights(route.namespace);
  const hasTrace = useKinds().some(({ group }) => group === TRACE_GROUP);
  const isPast = useMoment() !== undefined;
  const shown = object ?? (state === 'loading' ? undefined : goneObject(kind, route));
  const tabs = TABS.filter(
    (tab) => tab.fits(kind, { rights, hasTrace, isPast }) && (object !== undefined || tab.outlives === true),
  );
  const tab = tabs.find(({ name }) => name === route.tab) ?? tabs[0];
  return (
    <Stack h="100%" gap="sm">
      <Header kind={kind} route={route} object={object} />
      {error === undefined ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {object === undefined && shown !== undefined ? (
        <Text c="dimmed">{state === 'compacted' ? text.compactedHint : isPast ? text.notThere : text.gone}</Text>
      ) : null}
      {shown === undefined ? (
        <Loader />
      ) : (
        <Tabs
          value={tab?.name ?? null}
          onChange={(name) => go({ ...route, tab: name ?? 'summary' })}
          keepMounted={false}
          style={{ flex: 1, display: 'flex', flexDirection: 'column', minHeight: 0 }}
        >
          <Tabs.List>
            {tabs.map(({ name, label }) => (
              <Tabs.Tab key={name} value={name}>
                {text[label]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ name, Content }) => (
            <Tabs.Panel
              key={name}
              value={name}
              pt="sm"
              tabIndex={0}
              style={{ flex: 1, minHeight: 0, overflow: 'auto' }}
            >
              <Suspense fallback={<Loader />}>
                <Content kind={kind} object={shown} />
              </Suspense>
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  );
}

/** Of what is gone its name is left, and what the trace knows of it. */
function goneObject(kind: Resource, { namespace, name }: ObjectRoute): ApiObject {
  const place = namespace === '' ? {} : { namespace };
  return { apiVersion: '', kind: kind.kind, metadata: { name, resourceVersion: '', ...place } };
}

interface HeaderProps {
  readonly kind: Resource;
  readonly route: ObjectRoute;
  readonly object: ApiObject | undefined;
}

function Header({ kind, route, object }: HeaderProps): ReactNode {
  const text = useText();
  const { namespace, name } = route;
  const isPast = useMoment() !== undefined;
  const list = listOf(kind, namespace);
  return (
    <Group justify="space-between">
      <Stack gap={0}>
        <Breadcrumbs>
          <Link to={list}>{kind.kind}</Link>
          {namespace === '' ? null : <Text size="sm">{namespace}</Text>}
        </Breadcrumbs>
        <Group gap="sm">
          <Title order={1} size="h3">
            {visible(name)}
          </Title>
          {object?.metadata.deletionTimestamp === undefined ? null : (
            <Badge color="orange" variant="dot">
              {text.terminating}
            </Badge>
          )}
        </Group>
      </Stack>
      {object === undefined || isPast ? null : <ActionBar kind={kind} object={object} />}
    </Group>
  );
}
