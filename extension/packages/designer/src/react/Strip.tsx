import { plain } from "../core/format";
import { statusMessage } from "../core/statusMessage";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { CloseButton, SmallButton, worded } from "./parts";

/** Its words, its name for tests, and what it does. */
type Button = readonly [string, string, () => void];

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
  const { repair, fix, node } = said;
  const opens = (drawer: "code" | "problems"): Button => [
    `Show ${drawer}`,
    `show-${drawer}`,
    () => session.view({ drawer }),
  ];
  const actions: Partial<Record<string, Button>> = {
    show: ["Show node", "show-node", show],
    code: opens("code"),
    problems: opens("problems"),
    data: ["Choose folder", "choose-data", () => session.view({ folders: node })],
    undo: [
      "Undo",
      "undo-notice",
      () => {
        session.undo();
        session.view({ notice: null });
      },
    ],
    stop: ["Stop", "stop-code", () => session.stop()],
    restore: ["Restore", "restore", () => session.restore()],
    try: [
      "Try it",
      "try-pace",
      () => {
        session.view({ drawer: "timeline" });
        session.tryAdvice(said.advice ?? "");
      },
    ],
    reconnect: ["Reconnect", "reconnect", () => void session.reconnect()],
  };
  const mend = () => {
    if (fix) session.edit(fix.edits, { positions: fix.positions });
    session.view({ notice: null });
  };
  const button: Button | undefined = repair
    ? [repair.title, "repair", () => session.repair(repair)]
    : fix
      ? [fix.title, "fix", mend]
      : actions[said.action ?? ""];
  return (
    <div className={`ds-strip ${over ? "ds-strip-over" : ""} ds-tone-${said.tone}`} data-testid="strip">
      <Icon name={said.tone} />
      <span className="ds-strip-text" title={plain(`${said.lead} ${said.rest} ${said.more ?? ""} ${said.muted}`)}>
        <span>
          <b>{worded(said.lead)}</b> {worded(said.rest)}
        </span>{" "}
        {said.more && <span className="ds-strip-more">{said.more}</span>}{" "}
        {said.muted && <span className="ds-muted">{worded(said.muted)}</span>}
      </span>
      {button && (
        <SmallButton primary={said.action === "reconnect"} data-testid={button[1]} onClick={button[2]}>
          {button[0]}
        </SmallButton>
      )}
      <CloseButton label="Close this sentence" onClick={() => session.dismiss(said.id)} />
    </div>
  );
}
