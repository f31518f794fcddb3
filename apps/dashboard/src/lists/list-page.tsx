import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { Suspense, useMemo } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { Refusals } from '../live/refusals.tsx';
import { StateBadge } from '../live/state-badge.tsx';
import { useTable } from '../live/use-table.ts';
import { useRights } from '../rights/use-rights.ts';
import type { ListRoute } from '../route/route.ts';
import { go, goTo, useMoment } from '../route/use-route.ts';
import { Loading } from '../shell/loading.tsx';
import { part } from '../shell/part.tsx';
import { useText } from '../texts/use-text.ts';
import { filterRows } from './filter-rows.ts';
import { ListLook } from './list-look.tsx';
import { NamespaceSelect } from './namespace-select.tsx';
import { RowTable } from './row-table.tsx';
import { selectorQuery } from './selector-query.ts';
import { sortRows } from './sort-rows.ts';

// Loaded when somebody compares.
const ChangesTable = part(async () => (await import('./changes-table.tsx')).ChangesTable);

/** All objects of a kind, as the server prints them, live. */
export function ListPage({ kind, route }: { readonly kind: Resource; readonly route: ListRoute }): ReactNode {
  const text = useText();
  const at = route.namespace === '' ? {} : { namespace: route.namespace };
  const query = selectorQuery(route);
  const view = useTable(pathOf(kind, at), { query, isWatched: kind.verbs.includes('watch') });
  const moment = useMoment();
  const rows = useMemo(
    () => sortRows(filterRows(view.rows, route.filter), view.columns, route.sort),
    [view.rows, view.columns, route.filter, route.sort],
  );
  const change = (part: Partial<ListRoute>): void => go({ ...route, ...part }, { replace: true });
  return (
    <Stack h="100%" gap="sm">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h3">
            {kind.kind}
          </Title>
          <Text c="dimmed" aria-live="polite">
            {rows.length === view.rows.length ? rows.length : `${rows.length} / ${view.rows.length}`}
          </Text>
          <StateBadge state={view.state} />
        </Group>
        <Group gap="sm">
          <CreateButton kind={kind} namespace={route.namespace} />
          {kind.namespaced ? (
            <NamespaceSelect value={route.namespace} onChange={(namespace) => change({ namespace })} />
          ) : null}
          <TextInput
            aria-label={text.filter}
            placeholder={`${text.filter} /`}
            data-hotkey="/"
            value={route.filter}
            onChange={(event) => change({ filter: event.currentTarget.value })}
          />
          <ListLook route={route} columns={view.columns} onChange={change} />
        </Group>
      </Group>
      <Refusals views={{ [kind.kind]: view }} />
      {view.state === 'compacted' ? <Alert color="orange">{text.compactedHint}</Alert> : null}
      {view.state === 'timeless' ? <Alert color="orange">{text.timelessHint}</Alert> : null}
      {moment === undefined && route.since === '' ? null : <SinceBar route={route} onChange={change} />}
      {route.since === '' ? (
        <RowTable
          kind={kind}
          columns={view.columns}
          rows={rows}
          isLoading={view.state === 'loading'}
          isOfSeveral={route.namespace === ''}
          isWide={route.isWide}
          sort={route.sort}
          onSort={(sort) => change({ sort })}
        />
      ) : (
        <Suspense fallback={<Loading />}>
          <ChangesTable path={pathOf(kind, at)} query={query} since={route.since} label={kind.kind} />
        </Suspense>
      )}
    </Stack>
  );
}

function CreateButton({ kind, namespace }: { readonly kind: Resource; readonly namespace: string }): ReactNode {
  const text = useText();
  const rights = useRights(namespace);
  const isPast = useMoment() !== undefined;
  const { group, resource, verbs } = kind;
  if (isPast || !verbs.includes('create') || !rights({ verb: 'create', group, resource })) return null;
  return (
    <Button size="xs" variant="default" onClick={() => go({ page: 'create', gvr: kind, namespace })}>
      {text.create}
    </Button>
  );
}

/** From which moment on changes are shown, and the way there. */
function SinceBar({ route, onChange }: RouteChangeProps): ReactNode {
  const text = useText();
  const moment = useMoment();
  if (route.since === '') {
    const compare = (): void => {
      onChange({ since: moment ?? '' });
      goTo(undefined, { replace: true });
    };
    return (
      <Group>
        <Button size="compact-sm" variant="default" onClick={compare}>
          {text.changesSinceThen}
        </Button>
      </Group>
    );
  }
  return (
    <Group gap="sm">
      <Text size="sm">
        {text.difference}: {route.since} → {moment ?? text.now}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => onChange({ since: '' })}>
        {text.close}
      </Button>
    </Group>
  );
}

interface RouteChangeProps {
  readonly route: ListRoute;
  readonly onChange: (part: Partial<ListRoute>) => void;
}
