import { statusMessage } from "../core/statusMessage";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { IconButton } from "./parts";

const ICONS = { error: "error", warning: "warning", info: "info" } as const;

/** One sentence, one button, one close; only when there is something to say. */
export function Strip({ over }: { readonly over: boolean }) {
  const session = useSession();
  const api = useCanvasApi();
  const said = useSel((s) => statusMessage(s));
  if (!said) return null;
  const show = () => {
    session.select([said.node]);
    session.view({ folded: [] });
    api.current?.show(said.node);
  };
  return (
    <div className={`ds-strip ${over ? "ds-strip-over" : ""} ds-tone-${said.tone}`} data-testid="strip">
      <Icon name={ICONS[said.tone]} />
      <span className="ds-strip-text" title={`${said.lead} ${said.rest} ${said.muted}`}>
        <b>{said.lead}</b> {said.rest} {said.muted && <span className="ds-muted">{said.muted}</span>}
      </span>
      {said.repair && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="repair"
          onClick={() => said.repair && session.repair(said.repair)}
        >
          {said.repair.title}
        </button>
      )}
      {said.action === "show" && !said.repair && (
        <button type="button" className="ds-button ds-button-small" onClick={show} data-testid="show-node">
          Show node
        </button>
      )}
      {said.action === "data" && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="choose-data"
          onClick={() => session.view({ drawer: "data" })}
        >
          Choose its folder
        </button>
      )}
      {said.action === "add_output" && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="return-leaf"
          onClick={() => session.edit([{ type: "set_outputs", outputs: [{ node: said.node, output: 0 }] }])}
        >
          Return {said.node}
        </button>
      )}
      {said.fix && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="fix"
          onClick={() => {
            if (said.fix) session.edit(said.fix.edits, { positions: said.fix.positions });
            session.view({ notice: null });
          }}
        >
          {said.fix.title}
        </button>
      )}
      {said.action === "undo" && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="undo-notice"
          onClick={() => {
            session.undo();
            session.view({ notice: null });
          }}
        >
          Undo
        </button>
      )}
      {said.action === "restore" && (
        <button
          type="button"
          className="ds-button ds-button-small"
          data-testid="restore"
          onClick={() => session.send({ type: "restore_edits" })}
        >
          Restore
        </button>
      )}
      {said.action === "reconnect" && (
        <button
          type="button"
          className="ds-button ds-primary ds-button-small"
          data-testid="reconnect"
          onClick={() => void session.reconnect()}
        >
          Reconnect
        </button>
      )}
      <IconButton
        icon="cross"
        label="Close this sentence"
        small
        onClick={() => session.view((v) => ({ dismissed: [...v.dismissed.slice(-40), said.id] }))}
      />
    </div>
  );
}
