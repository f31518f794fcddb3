import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useKinds } from '../kinds/use-kinds.ts';
import { follow } from '../route/link.tsx';
import type { Route } from '../route/route.ts';
import { addressOf } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import classes from './graph-picture.module.css';
import { COLUMNS, reachOf } from './graph.ts';
import type { ColumnName, Graph, Spot } from './graph.ts';

const WIDTH = 208;
const GAP = 52;
const ROW = 44;
const BOX = 36;
const TOP = 34;
const NAME_MAX = 25;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Boxes in columns and lines between them; what one thing has to do with is lit while it is pointed at. */
export function GraphPicture({ graph: { spots, edges } }: { readonly graph: Graph }): ReactNode {
  const text = useText();
  const [lit, setLit] = useState<string>();
  const places = useMemo(() => placesOf(spots), [spots]);
  const reach = useMemo(() => (lit === undefined ? undefined : reachOf(edges, lit)), [edges, lit]);
  const rows = Math.max(...COLUMNS.map((column) => spots.filter((spot) => spot.column === column).length));
  const heads: { readonly [column in ColumnName]: string } = {
    entry: `${text.services}, ${text.policies}`,
    slices: text.slices,
    pods: text.pods,
    nodes: text.nodes,
  };
  return (
    <div className={classes['scroll']} tabIndex={0} role="region" aria-label={text.topology}>
      <svg
        width={COLUMNS.length * (WIDTH + GAP) - GAP + 4}
        height={TOP + rows * ROW}
        role="group"
        aria-label={text.topology}
      >
        {COLUMNS.map((column, at) => (
          <text key={column} x={at * (WIDTH + GAP) + 2} y={18} className={classes['head']}>
            {heads[column]}
          </text>
        ))}
        {edges.map(({ from, to, kind }) => (
          <path
            key={`${from} ${to}`}
            d={lineBetween(places.get(from), places.get(to))}
            className={classes['edge']}
            data-kind={kind}
            data-dim={reach !== undefined && !(reach.has(from) && reach.has(to))}
          />
        ))}
        {spots.map((spot) => (
          <SpotBox
            key={spot.id}
            spot={spot}
            place={places.get(spot.id) ?? { x: 0, y: 0 }}
            isDim={reach !== undefined && !reach.has(spot.id)}
            onLight={setLit}
          />
        ))}
      </svg>
    </div>
  );
}

function placesOf(spots: readonly Spot[]): ReadonlyMap<string, Place> {
  return new Map(
    COLUMNS.flatMap((column, at) =>
      spots
        .filter((spot) => spot.column === column)
        .map(({ id }, row) => [id, { x: at * (WIDTH + GAP) + 2, y: TOP + row * ROW }] as const),
    ),
  );
}

function lineBetween(from: Place | undefined, to: Place | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + BOX / 2, to.x, to.y + BOX / 2];
  const bend = GAP / 2;
  return `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

const GROUPS: { readonly [resource in Spot['resource']]: string } = {
  services: '',
  pods: '',
  nodes: '',
  endpointslices: 'discovery.k8s.io',
  networkpolicies: 'networking.k8s.io',
};

interface SpotBoxProps {
  readonly spot: Spot;
  readonly place: Place;
  readonly isDim: boolean;
  readonly onLight: (id: string | undefined) => void;
}

function SpotBox({ spot, place: { x, y }, isDim, onLight }: SpotBoxProps): ReactNode {
  const { id, resource, namespace, name, note, isWell } = spot;
  // Others may serve kinds of the same names.
  const kind = useKinds().find((one) => one.resource === resource && one.group === GROUPS[resource]);
  const shown = name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;
  const about = `${kind?.kind ?? resource} · ${note}`;
  const to: Route | undefined =
    kind === undefined ? undefined : { page: 'object', gvr: kind, namespace, name, tab: 'summary' };
  return (
    <a
      {...(to === undefined ? {} : { href: addressOf(to), onClick: (event) => follow(event, to) })}
      className={classes['spot']}
      data-resource={resource}
      data-well={isWell}
      data-dim={isDim}
      // It begins with what is written there, so that who speaks to his computer can say it.
      aria-label={`${shown} ${about}, ${namespace === '' ? '' : `${namespace}/`}${name}`}
      onMouseEnter={() => onLight(id)}
      onMouseLeave={() => onLight(undefined)}
      onFocus={() => onLight(id)}
      onBlur={() => onLight(undefined)}
    >
      <rect x={x} y={y} width={WIDTH} height={BOX} rx={6} />
      <text x={x + 10} y={y + 15}>
        {/* The blank parts the two in what is read aloud. */}
        {shown}{' '}
      </text>
      <text x={x + 10} y={y + 29} className={classes['note']}>
        {about}
      </text>
    </a>
  );
}
