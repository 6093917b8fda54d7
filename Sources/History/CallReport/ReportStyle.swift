// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The looks of a report: light or dark as the reader's system is, and on paper.
enum ReportStyle {
    static let css: HTML = """
        :root{color-scheme:light dark;--back:#fff;--card:#f6f7f9;--text:#1b1f24;--dim:#5b6470;--rule:#d7dce2;\
        --fine:#cfe8d5;--none:#e4e7eb;--rec:#cfe0f5;--s1:#f7d98b;--s2:#f2a65a;--s3:#e0653f;--s4:#b3261e;\
        --l1:#1769c7;--l2:#b1500d;--l3:#25793b;--l4:#7a3fb0}
        @media (prefers-color-scheme:dark){:root{--back:#14171b;--card:#1e2329;--text:#e7eaee;--dim:#a1abb6;\
        --rule:#353d46;--fine:#24452e;--none:#2c333b;--rec:#22405f;--s1:#7a6216;--s2:#96591a;--s3:#a8431f;\
        --s4:#c93a30;--l1:#6cb0ff;--l2:#ffab66;--l3:#74d38d;--l4:#cba0ff}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
        main{max-width:1100px;margin:0 auto;padding:24px 20px 48px}
        h1{font-size:22px;margin:0}h2{font-size:18px;margin:36px 0 10px}h3{font-size:15px;margin:20px 0 6px}
        .when{color:var(--dim);margin:2px 0 16px}
        .verdict{border-left:8px solid var(--fine);background:var(--card);border-radius:6px;padding:14px 18px;font-size:18px}
        .verdict p{margin:0}.verdict p+p{margin-top:6px}
        .verdict.s1{border-color:var(--s1)}.verdict.s2{border-color:var(--s2)}
        .verdict.s3{border-color:var(--s3)}.verdict.s4{border-color:var(--s4)}
        svg{display:block;width:100%;height:auto}svg text{fill:var(--text);font-family:inherit}
        .timeline{margin-top:18px;min-width:640px}.timeline .label{font-size:13px}.tick{font-size:11px;fill:var(--dim)}
        .lane,.unknown{fill:var(--none)}.fine{fill:var(--fine)}.recovering{fill:var(--rec)}
        rect.s1{fill:var(--s1)}rect.s2{fill:var(--s2)}rect.s3{fill:var(--s3)}rect.s4{fill:var(--s4)}
        .inside{font-size:12px;pointer-events:none}.s3+.inside,.s4+.inside{fill:#fff}
        .legend{color:var(--dim);font-size:13px}.legend i{display:inline-block;width:14px;height:10px;margin:0 5px 0 14px;border-radius:2px}
        .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:14px}
        .chart{margin:0;background:var(--card);border-radius:6px;padding:8px 10px}
        figcaption{font-size:13px}.unit{color:var(--dim)}.key{margin-left:12px;white-space:nowrap}
        .key svg{display:inline-block;width:22px;height:8px;margin-right:4px}
        .grid{stroke:var(--rule);stroke-width:1}.band{opacity:.35}
        .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
        .l1{stroke:var(--l1)}.l2{stroke:var(--l2);stroke-dasharray:6 3}.l3{stroke:var(--l3);stroke-dasharray:2 3}\
        .l4{stroke:var(--l4);stroke-dasharray:9 3 2 3}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;font-size:14px;margin:8px 0}
        th,td{text-align:left;padding:4px 14px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top}
        thead th,.figures th{color:var(--dim);font-weight:500}td{font-variant-numeric:tabular-nums}
        .alarm td{font-weight:600}.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px}
        .swatch.s1{background:var(--s1)}.swatch.s2{background:var(--s2)}.swatch.s3{background:var(--s3)}.swatch.s4{background:var(--s4)}
        footer{color:var(--dim);font-size:13px;margin-top:36px}
        @media print{:root{color-scheme:light;--back:#fff;--card:#fff;--text:#000;--dim:#444;--rule:#bbb;--fine:#dff0e3;\
        --none:#eee;--rec:#dbe8f7;--s1:#fbe6ae;--s2:#f5bd85;--s3:#e98666;--s4:#c9453d;--l1:#0b4f9e;--l2:#9a4308;\
        --l3:#1a5f2d;--l4:#5d2a8c}
        *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        body{font-size:11pt}main{max-width:none;padding:0}.timeline{min-width:0}.s3+.inside,.s4+.inside{fill:#000}.chart,tr,.verdict{break-inside:avoid}h2,h3{break-after:avoid}
        .charts{grid-template-columns:1fr 1fr}}

        """
}
