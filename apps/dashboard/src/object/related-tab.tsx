import { Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { ApiError, request } from '../api/request.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import type { ApiObject } from '../live/rows.ts';
import { Link } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import { useText } from '../texts/use-text.ts';
import type { TabProps } from './tab-props.ts';
import { mentionsOf, ownersOf } from './related.ts';
import { selectedPods } from './selected-pods.ts';

const PARTIAL = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

interface Found {
  readonly kind: Resource;
  readonly object: ApiObject;
}

/** What an object belongs to, what belongs to it, and what it names. */
export function RelatedTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const { namespace = '' } = object.metadata;
  const owners = ownersOf(object).map(({ apiVersion, kind: name, name: owner }) => ({
    kind: kinds.find((one) => one.kind === name && groupOf(apiVersion) === one.group),
    label: `${name} ${owner}`,
    name: owner,
  }));
  const mentions = mentionsOf(object).map(({ group, resource, name, field }) => ({
    kind: kinds.find((one) => one.group === group && one.resource === resource),
    label: `${name} (${field})`,
    name,
  }));
  return (
    <Stack gap="md">
      <Links title={text.belongsTo} links={owners} namespace={namespace} />
      <Owned kind={kind} object={object} />
      <Selected object={object} />
      <Links title={text.names} links={mentions} namespace={namespace} />
    </Stack>
  );
}

const LINKS_MAX = 300;

interface LinksProps {
  readonly title: string;
  readonly namespace: string;
  readonly links: readonly { readonly kind: Resource | undefined; readonly label: string; readonly name: string }[];
}

function Links({ title, links, namespace }: LinksProps): ReactNode {
  const text = useText();
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {links.length === 0 ? <Text c="dimmed">{text.nothing}</Text> : null}
      {links.slice(0, LINKS_MAX).map(({ kind, label, name }) =>
        kind === undefined ? (
          <Text key={label} size="sm">
            {label}
          </Text>
        ) : (
          <Group key={label}>
            <Link to={{ page: 'object', gvr: kind, namespace: kind.namespaced ? namespace : '', name, tab: 'summary' }}>
              {label}
            </Link>
          </Group>
        ),
      )}
      {links.length > LINKS_MAX ? <Text c="dimmed">… {links.length - LINKS_MAX}</Text> : null}
    </Stack>
  );
}

/** Asks every kind that can be listed, once: which of its objects belong to this one is known to nobody else. */
function Owned({ object }: TabProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const [found, setFound] = useState<readonly Found[]>();
  const { uid = '', namespace } = object.metadata;
  useEffect(() => {
    const gone = new AbortController();
    findOwned(kinds, { uid, namespace, signal: gone.signal }).then(setFound, () => setFound([]));
    return () => gone.abort();
  }, [kinds, uid, namespace]);
  if (found === undefined) return <Loader size="sm" />;
  const links = found.map((one) => ({
    kind: one.kind,
    label: `${one.kind.kind} ${one.object.metadata.name}`,
    name: one.object.metadata.name,
  }));
  return <Links title={text.owns} links={links} namespace={namespace ?? ''} />;
}

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** The way to the list of the pods that it selects, or that run on it. */
function Selected({ object }: Pick<TabProps, 'object'>): ReactNode {
  const text = useText();
  const selection = selectedPods(object);
  if (selection === undefined) return null;
  const { namespace = '' } = object.metadata;
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {text.pods}
      </Title>
      <Group>
        <Link to={{ ...listOf(PODS, namespace), ...selection }}>{selection.labels || selection.fields}</Link>
      </Group>
    </Stack>
  );
}

interface Search {
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

async function findOwned(kinds: readonly Resource[], { uid, namespace, signal }: Search): Promise<readonly Found[]> {
  // What nobody can delete is kept by nobody, and belongs to nobody.
  const candidates = kinds.filter(
    ({ resource, verbs, namespaced }) =>
      resource !== 'events' && verbs.includes('delete') && (namespace === undefined || namespaced),
  );
  const lists = await Promise.all(
    candidates.map(async (kind) => {
      const path = `${pathOf(kind, namespace === undefined ? {} : { namespace })}?limit=2000`;
      try {
        const { value } = await request<{ readonly items?: readonly ApiObject[] }>({ path, accept: PARTIAL, signal });
        const own = (value.items ?? []).filter((one) => ownersOf(one).some((owner) => owner.uid === uid));
        return own.map((one) => ({ kind, object: one }));
      } catch (error) {
        // What the viewer may not list, and what serves no metadata, belongs to nothing that he sees.
        if (error instanceof ApiError) return [];
        throw error;
      }
    }),
  );
  return lists.flat();
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
