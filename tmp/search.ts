import { startTestStore } from '../test/support/local-store.ts';
import { configure } from '../functions/engine/model/schema.ts';
import '../functions/schema.ts';
import { buildCreate, buildUpdate } from '../functions/engine/model/changes.ts';
import { applyChangeSet } from '../functions/engine/write/commit.ts';
import { compactAll } from '../test/support/compaction.ts';
import { listEntities } from '../functions/engine/lists/list-entities.ts';
import { processMemory } from '../functions/engine/columns/process-memory.ts';
import { findEntity } from '../functions/engine/table/whole-entities.ts';
import { DataGenerator } from '../lib/seed/data.ts';
import { task } from '../functions/tasks/resource.ts';
const size = Number(process.argv[2] ?? 100000);
const length = Number(process.argv[3] ?? 300);
let seed = 1; const rnd = () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 2 ** 32; };
const syl = ['ka','lo','mi','ten','ra','so','ve','pu','dor','in','es','al','tri','no','be','gu','chi','ma','ro','ti','san','el','or','da','fe','wi','ho','ju','qua','zen'];
const vocab: string[] = []; const seen = new Set<string>();
while (vocab.length < 20000) { const n = 1 + Math.floor(rnd()*4); let w=''; for (let i=0;i<n;i++) w += syl[Math.floor(rnd()*syl.length)]; if (vocab.length>60 && w.length<4) continue; if (!seen.has(w)) { seen.add(w); vocab.push(w);} }
const cum: number[] = []; let s=0; for (let i=0;i<vocab.length;i++){ s+=1/(i+2.7); cum.push(s);} 
const word = () => { const x=rnd()*s; let lo=0,hi=cum.length-1; while(lo<hi){const m=(lo+hi)>>1; if(cum[m]!<x) lo=m+1; else hi=m;} return vocab[lo]!; };
const text = (n: number) => { let t=word(); while (t.length<n) t+=' '+word(); return t.slice(0,n); };
const store = await startTestStore(); store.table.onCommit(() => store.table.takeRecords());
const tenant='@m'; const gen = new DataGenerator({organizations:1,users:1,tags:1,projects:1,tasks:size} as never,1,new Date());
let writes=0; let comp=0;
const real = Date.now; let clock = Date.now() - 100*86400000; Date.now = () => clock;
const t0=performance.now();
const ids: string[]=[];
for (let start=0; start<size; start+=50) {
  const changes = Array.from({length: Math.min(50,size-start)}, () => { clock += 10; return buildCreate('task', {...task.defaults, name: text(30), status: 'planned', description: text(length)} as never, clock); });
  for (const c of changes) ids.push(c.after.entity.id);
  const ss = store.session(tenant); await applyChangeSet(ss, {changes}); writes += ss.database.consumption.writeUnits;
  if ((start/50) % 100 === 99) { const d = store.database(600000); await compactAll(d, tenant, 'task'); comp += d.consumption.writeUnits; }
}
{ const d = store.database(600000); await compactAll(d, tenant, 'task'); comp += d.consumption.writeUnits; }
console.log('load s', (performance.now()-t0)/1000, 'write units a task', writes/size, 'compaction WU a task', comp/size);
// bytes of words items
let wb=0, wi=0, all=0; for await (const page of store.database(600000).pages({KeyConditionExpression:'pk = :p', ExpressionAttributeValues:{':p':'x'}} as never)) void page;
const items = (store.table as never as {items?: unknown});
void items;
const df = (p: string) => 0; void df;
const query = (words: string[]) => ({ filters: words.length? [{field:'$words', operator:'search' as const, values: words}] : [], sort:[{field:'createdAt',direction:'desc' as const}], countBy:[], sumBy:[], page:1, limit:20, withTexts:true });
async function cost(q: ReturnType<typeof query>) { const d = store.database(60000); const c0=process.cpuUsage(); const r = await listEntities({tenant, database:d}, 'task', q); const c=process.cpuUsage(c0); return {total:r.total, calls:d.consumption.calls, ru:d.consumption.readUnits, cpu: Math.round((c.user+c.system)/1000)}; }
async function both(name: string, words: string[]) { processMemory.clear(); const base = await cost(query([])); processMemory.clear(); const cold = await cost(query(words)); const warm1 = await cost(query(words)); const warm = await cost(query(words)); console.log(name, words.join(' ').slice(0,40), 'base', JSON.stringify(base), 'cold', JSON.stringify(cold), 'warm', JSON.stringify(warm)); }
const mid = (r: number) => { for (let i=r;;i++) { const w=vocab[i]!; if (w.length>=4) return w; } };
const a = mid(300), b = mid(800), c = mid(5000);
await both('one rare', [c.slice(0,6)]); await both('one', [a]); await both('two', [a,b]); await both('two 3', [a.slice(0,3), b.slice(0,3)]);
await both('most frequent', [vocab[0]!]); await both('letter', ['t']); await both('letter s', ['s']);
await both('eight', Array.from({length:8}, (_,i)=>mid(200+100*i)));
// changed texts
const before = store.database(600000); let cw=0; const n=Math.min(5000,size/10);
for (let i=0;i<n;i++){ clock+=10; const id=ids[Math.floor(rnd()*ids.length)]!; const ss=store.session(tenant); const one=await findEntity(ss,'task',id); const change=buildUpdate(one!, {description: text(length)}, clock); await applyChangeSet(ss,{changes:[change]}); if (i%48===47){ const d=store.database(600000); await compactAll(d,tenant,'task'); cw+=d.consumption.writeUnits; } }
console.log('changed texts: compaction WU each', cw/n); void before;
await both('after changes: two', [a,b]);
process.exit(0);
