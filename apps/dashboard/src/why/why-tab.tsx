import { Alert, Button, Checkbox, Code, Group, Stack, Text, Title } from '@mantine/core';
import { decisionOf, htmlPage, svgPicture } from '@binnacle/trace';
import type { Arrow, TraceHop } from '@binnacle/trace';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { ObjectDiff } from '../history/diff-view.tsx';
import { useRevisions } from '../history/use-revisions.ts';
import type { TabProps } from '../object/tab-props.ts';
import { yamlOf } from '../object/yaml-text.ts';
import { saveFile } from '../shell/save-file.ts';
import { Loading } from '../shell/loading.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { DecisionTable } from './decision-table.tsx';
import { Sequence } from './sequence.tsx';
import { FIRST_MAX } from './shown-arrows.ts';
import { storyOf } from './story.ts';
import type { StoryObject } from './story.ts';
import { storyPathOf, useHops } from './use-hops.ts';

/** What the story can be taken away as: one file that needs nothing else. */
const EXPORTS: readonly {
  readonly label: string;
  readonly content: (hops: readonly TraceHop[], name: string) => Blob;
}[] = [
  { label: 'HTML', content: (hops, name) => new Blob([htmlPage(hops, name)], { type: 'text/html' }) },
  { label: 'SVG', content: (hops, name) => new Blob([svgPicture(hops, name)], { type: 'image/svg+xml' }) },
];

/** So many further arrows are drawn for who asks. */
const MORE = 1000;

/** Why an object is as it is: every call, commit and decision that made it so, as it happens. */
export function WhyTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const { hops, ring, error, isRead, isCut } = useHops(kind, object);
  const { name } = object.metadata;
  const [choice, setChoice] = useState({ checks: true, watches: false });
  const [chosen, setChosen] = useState<Arrow>();
  const [firstMax, setFirstMax] = useState(FIRST_MAX);
  const story = useMemo(() => storyOf(hops, choice), [hops, choice]);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Checkbox
          label={text.checks}
          checked={choice.checks}
          onChange={(event) => setChoice({ ...choice, checks: event.currentTarget.checked })}
        />
        <Checkbox
          label={text.watches}
          checked={choice.watches}
          onChange={(event) => setChoice({ ...choice, watches: event.currentTarget.checked })}
        />
        {EXPORTS.map(({ label, content }) => (
          <Button
            key={label}
            size="xs"
            variant="default"
            aria-label={`${text.download}: ${label}`}
            onClick={() => saveFile(`${name}-why.${label.toLowerCase()}`, content(hops, name))}
          >
            {label}
          </Button>
        ))}
      </Group>
      {error === undefined ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {ring !== undefined && hops.some(({ cause }) => cause.type === 'forgotten') ? (
        <Alert color="gray">{text.forgotten}</Alert>
      ) : null}
      {isCut === true ? <Alert color="gray">{text.storyCut}</Alert> : null}
      {isRead === true ? <Alert color="gray">{text.notFollowed}</Alert> : null}
      {ring?.on === false ? <Alert color="gray">{text.traceOff}</Alert> : null}
      {ring === undefined && error === undefined ? <Loading /> : null}
      {story.arrows.length === 0 && ring?.on === true ? <Text c="dimmed">{text.nothing}</Text> : null}
      <div style={{ overflow: 'auto', maxHeight: '55vh' }} tabIndex={0} role="region" aria-label={text.why}>
        <Sequence
          story={story}
          firstMax={firstMax}
          onMore={() => setFirstMax(firstMax + MORE)}
          label={text.why}
          chosen={chosen?.hop.metadata.name}
          onChoose={setChosen}
        />
      </div>
      {chosen === undefined ? null : <HopDetail hop={chosen.hop} hops={hops} />}
    </Stack>
  );
}

function HopDetail({ hop, hops }: { readonly hop: TraceHop; readonly hops: readonly TraceHop[] }): ReactNode {
  const text = useText();
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {visible(hop.title)}
      </Title>
      {hop.type === 'decision' && hop.detail !== undefined ? <DecisionTable decision={decisionOf(hop.detail)} /> : null}
      {commitsOf(hop, hops).map(({ object, revision }) =>
        object === undefined || revision === undefined ? null : (
          <Change key={revision} object={object} revision={revision} />
        ),
      )}
      <Code block tabIndex={0} aria-label={text.details}>
        {visible(yamlOf(hop))}
      </Code>
    </Stack>
  );
}

/** Of a request, what it committed. */
function commitsOf(hop: TraceHop, hops: readonly TraceHop[]): readonly TraceHop[] {
  if (hop.type === 'commit') return [hop];
  if (hop.type !== 'request') return [];
  return hops.filter(({ type, cause }) => type === 'commit' && cause.type === 'hop' && cause.hop === hop.metadata.name);
}

/** What a commit changed of its object. */
function Change({ object, revision }: { readonly object: StoryObject; readonly revision: string }): ReactNode {
  // The one that it made and the one before, of however many there are.
  const two = `${storyPathOf(object, 'revisions')}&limit=2&continue=${Number(revision) + 1}`;
  const { items = [] } = useRevisions(two, revision);
  const at = items.findIndex((item) => item.revision === revision);
  const item = items[at];
  if (item === undefined) return null;
  return <ObjectDiff before={items[at - 1]?.object} after={item.type === 'DELETED' ? undefined : item.object} />;
}
