import type { Operator } from "../../core/catalog";
import * as format from "../../core/format";
import { timeOn, timingOf } from "../../core/select";
import type { Device, DeviceTime, NodeView } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";

const DEVICES: readonly Device[] = ["cpu", "mixed", "gpu"];
/** Whole batches that a comparison measures on each device. */
const BATCHES = 4;

function words(device: Device, time: DeviceTime | undefined, threads: number): string {
  if (!time) return `Not measured on ${device} with these settings.`;
  const cpu = `${format.time(time.cpu)} of work on the CPU, summed over ${format.plural(threads, "thread")}`;
  const gpu = device === "cpu" ? "" : `, ${format.time(time.gpu)} of kernels on the GPU, and the copies`;
  return `${format.time(time.milliseconds)} per batch: ${cpu}${gpu}.`;
}

/** Where a node runs, with what was measured for each device; nothing is estimated. */
export function DeviceChoice({ node, operator }: { readonly node: NodeView; readonly operator: Operator }) {
  const session = useSession();
  const state = useSel((s) => ({
    // what measured it is not there any more
    gone: s.link === "gone",
    why: s.opening?.gpu ?? "",
    placed: (s.options?.device_id ?? -1) >= 0,
    running: s.run.running,
    threads: s.options?.num_threads ?? 1,
    cpu: timeOn(s, node.key, "cpu"),
    mixed: timeOn(s, node.key, "mixed"),
    gpu: timeOn(s, node.key, "gpu"),
    last: timingOf(s, node.key),
  }));
  const offered = DEVICES.filter((d) => operator.devices.includes(d));
  return (
    <div className="ds-device-choice">
      <div className="ds-segments" role="radiogroup" aria-label="Device">
        {offered.map((d) => (
          // biome-ignore lint/a11y/useSemanticElements: a segment has two lines of text
          <button
            key={d}
            type="button"
            role="radio"
            aria-checked={node.device === d}
            data-testid={`device-${d}`}
            title={words(d, state[d], state.threads)}
            onClick={() => node.device !== d && session.edit([{ type: "set_device", key: node.key, device: d }])}
          >
            {d}
            <b>
              {state.gone ? (
                "–"
              ) : !state[d] && state.last?.device === d ? (
                <span className="ds-time-before" title="Before the edit">
                  <Icon name="clock" size={11} /> {format.time(state.last.milliseconds)}
                </span>
              ) : (
                format.time(state[d]?.milliseconds)
              )}
            </b>
          </button>
        ))}
      </div>
      {offered.length > 1 && !state.why && (
        <button
          type="button"
          className="ds-link ds-compare-devices"
          disabled={state.running}
          title="Measure every node on the CPU and on the GPU"
          data-testid="compare-devices"
          onClick={() => session.compareDevices(BATCHES)}
        >
          Compare devices
        </button>
      )}
      {state.why && state.placed && node.device !== "cpu" && <p className="ds-muted ds-note">{state.why}</p>}
    </div>
  );
}
