import { startTestStore } from '../test/support/local-store.ts';
import '../functions/schema.ts';
import { buildCreate, buildUpdate } from '../functions/engine/model/changes.ts';
import { applyChangeSet } from '../functions/engine/write/commit.ts';
import { task } from '../functions/tasks/resource.ts';
let seed = 1; const rnd = () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 2 ** 32; };
const syl = ['ka','lo','mi','ten','ra','so','ve','pu','dor','in','es','al','tri','no','be','gu','chi','ma','ro','ti','san','el','or','da','fe','wi','ho','ju','qua','zen'];
const vocab: string[] = [];
while (vocab.length < 20000) { const n = 1 + Math.floor(rnd()*4); let w=''; for (let i=0;i<n;i++) w += syl[Math.floor(rnd()*syl.length)]; vocab.push(w); }
const word = () => vocab[Math.floor(20000 * rnd() ** 4)]!;
const text = (n: number) => { let t=word(); while (t.length<n) t+=' '+word(); return t.slice(0,n); };
const store = await startTestStore();
for (const n of [50, 300, 1000, 3000, 10000]) { let sum=0, upd=0, upd2=0; for (let i=0;i<20;i++){ const ss=store.session('@m'); const c=buildCreate('task',{...task.defaults,name:text(30),status:'planned',description:text(n)} as never, Date.now()); await applyChangeSet(ss,{changes:[c]}); sum+=ss.database.consumption.writeUnits; const s2=store.session('@m'); const u=buildUpdate(c.after as never,{status:'done'},Date.now()); await applyChangeSet(s2,{changes:[u as never]}); upd+=s2.database.consumption.writeUnits; const s3=store.session('@m'); await applyChangeSet(s3,{changes:[buildUpdate(u.after as never,{description:text(n)},Date.now()) as never]}); upd2+=s3.database.consumption.writeUnits;} console.log(n, 'create', sum/20, 'status', upd/20, 'text', upd2/20); }
process.exit(0);
