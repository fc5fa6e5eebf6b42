import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlToMarkdown } from '../../functions/ingest/extraction/html.ts';

const markdown = (html: string) => htmlToMarkdown(html).markdown;

test.each([
  [
    'headings and paragraphs',
    '<h1>Leave</h1>\n<p>Ten\n  days.<h3>Who</h3><p>All',
    '# Leave\n\nTen days.\n\n### Who\n\nAll',
  ],
  ['a heading of two lines', '<h2><span>Part</span><br>two</h2>', '## Part two'],
  ['references', '<p>a&nbsp;&lt;b&gt; &amp;amp; &eacute;&#8364;&#x20AC;', 'a <b> &amp; é€€'],
  [
    'references that stand for no character, which are left out',
    '<p>a&#0;b&#xD800;c&#x110000;d&#xfffd;e&am&#0;p; <img alt="f&#xdfff;g">',
    'abcd\ufffde&amp; fg',
  ],
  ['links, emphasis, pictures', '<p>See <a href="x">the <b>form</b></a> <img src=y alt="of 2">', 'See the form of 2'],
  ['line breaks', '<p>a<br>b<br/>c', 'a\nb\nc'],
  ['inline code', '<p>run <code>npm  ci</code>, <code>a`b</code>', 'run `npm ci`, `` a`b ``'],
  ['text like a heading', '<p># a</p><p>| b</p><p>---</p>', '\\# a\n\n\\| b\n\n\\---'],
  [
    'what is not text',
    '<nav><a>Home</a></nav><noscript>on</noscript><template><p>x</template><svg><title>i</title></svg><p>a<style>p{}</style><script>if (a<b) "</p>"</script>b<!-- c -->',
    'ab',
  ],
  [
    'lists in lists',
    '<ul><li>a<ul><li>b<li>c</ul><li><p>d<p>e</ul><ol start=3><li>f</li><li>g</ol>',
    '- a\n  - b\n  - c\n- d\n\n  e\n\n3. f\n4. g',
  ],
  ['quotes', '<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d', '> a\n\n> b\n\n> - c\n\nd'],
  ['definitions', '<dl><dt>SLA<dd>Four hours</dl>', 'SLA\n\nFour hours'],
  [
    'code with empty lines',
    '<pre><code class="hljs language-sql">select 1\n\n  from <b>dual</b>;\n</code></pre>',
    '```sql\nselect 1\n\n  from dual;\n```',
  ],
  ['code with a fence', '<pre>\na\n```\nb</pre>', '````\na\n```\nb\n````'],
  ['code by lines', '<pre><div>a</div><div>b</div>c<br>d</pre>', '```\na\nb\nc\nd\n```'],
  ['code in a list', '<ul><li>a<pre>b\n\nc</pre></ul>', '- a\n\n  ```\n  b\n\n  c\n  ```'],
])('%s', (_, html, expected) => {
  expect(markdown(html)).toBe(expected);
});

describe('a table', () => {
  test.each([
    [
      'with a header',
      '<table><caption>Rates</caption><thead><tr><th>Role</th><th>Rate</th></tr></thead><tr><td>Dev | Ops</td><td><p>1</p><p>2</p></td></tr></table>after',
      'Rates\n\n| Role | Rate |\n| --- | --- |\n| Dev \\| Ops | 1 2 |\n\nafter',
    ],
    [
      'without end tags',
      '<table><tr><th>a<th>b<tr><td>1<td>&nbsp;<tr><td>3<td>4</table>',
      '| a | b |\n| --- | --- |\n| 1 |  |\n| 3 | 4 |',
    ],
    [
      'with cells over columns and rows keeps its columns',
      '<table><tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td>1<td>2<td>3</table>',
      '| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| 1 | 2 | 3 |',
    ],
    ['that only frames', '<table><tr><td><p>Note</p><p>this</td></tr></table>', 'Note\n\nthis'],
    [
      'that lays out a page',
      '<table><tr><td><h1>A</h1>b</td><td><table><tr><td>1<td>2</tr></table></td></tr></table>',
      '# A\n\nb\n\n| 1 | 2 |\n| --- | --- |',
    ],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

test.each([
  ['the title', '<head><title> Leave &amp;\n pay </title></head><h1>Other</h1>', 'Leave & pay'],
  ['the first heading, where the title is blank', '<title> </title><h2>a</h2><h1>Leave</h1>', 'Leave'],
  ['the first heading without marks', '<h1>Run <code>npm ci</code></h1>', 'Run npm ci'],
  ['none', '<p>Leave', null],
])('a page is called by %s', (_, html, title) => {
  expect(htmlToMarkdown(html).title).toBe(title);
});

test.each([
  ['an end tag without a start', '</div></ul></table></td></pre></code>a', 'a'],
  ['an attribute with >', '<p title="a>b" x=\'c>d\'>e', 'e'],
  ['a quote that is not closed', '<p title="a>b</p><p>c', 'b\n\nc'],
  ['< in text', '<p>a < b <3 c', 'a < b <3 c'],
  ['a comment that is not closed', 'a<!-- b', 'a'],
  ['navigation that is not closed', '<nav>a<p>b', 'a\n\nb'],
  ['a head that the body ends', '<head><meta><title>t</title><body>a', 'a'],
  ['a tag that is cut off', 'a<p class="b', 'a'],
  [
    'lists crossed with tables',
    '<ul><li>a<table><tr><td>b<td>c</ul>d</table>e',
    '- a\n\n  | b | c d |\n  | --- | --- |\n\n  e',
  ],
  [
    'elements that close themselves',
    '<title/><script/><table><tr><td/><td>a</td></tr></table>',
    '|  | a |\n| --- | --- |',
  ],
])('malformed HTML: %s', (_, html, expected) => {
  expect(markdown(html)).toBe(expected);
});

const TAGS = [
  'p',
  'h1',
  'ul',
  'li',
  'ol',
  'table',
  'tr',
  'td',
  'pre',
  'code',
  'blockquote',
  'b',
  'div',
  'br',
  'nav',
  'head',
];

test('no word is lost, or told twice, whatever tags stand around it', () => {
  const tag = fc.tuple(fc.constantFrom('<', '</'), fc.constantFrom(...TAGS)).map(([start, name]) => `${start}${name}>`);
  fc.assert(
    fc.property(fc.array(fc.oneof(tag, fc.constant(null)), { maxLength: 40 }), (drawn) => {
      let words = 0;
      const html = drawn.map((piece) => piece ?? ` w${words++}x `).join('');
      const hidden = /<(?:nav|head)>/.test(html);
      const found = [...markdown(html).matchAll(/w(\d+)x/g)].map(([, word]) => Number(word));
      expect(new Set(found).size).toBe(found.length);
      if (!hidden) expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: words }, (_, i) => i));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  '<div>',
  '<ul><li>a',
  '<blockquote>a',
  '<table><tr><td>a',
  '<b>',
  '<pre>a',
  '<nav>',
  '<!--',
  '<a b="',
  '<td colspan=20 rowspan=999>',
])('100,000 of %s neither overflow nor hang', (opening) => {
  expect(markdown(`${opening.repeat(100_000)}`).length).toBeLessThan(4_000_000);
});
