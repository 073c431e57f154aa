<?xml version="1.0"?>
<!-- What the program SheetTransformer makes of orders: a page with a table for each customer. Keys, sorting, recursion, numbers, text. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" indent="yes"/>
  <xsl:key name="by-customer" match="order" use="@customer"/>
  <xsl:variable name="lower" select="'abcdefghijklmnopqrstuvwxyz'"/>
  <xsl:variable name="upper" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>

  <xsl:template match="/orders">
    <html>
      <head><title>Orders</title></head>
      <body>
        <p class="count"><xsl:value-of select="count(order)"/></p>
        <xsl:for-each select="order[generate-id() = generate-id(key('by-customer', @customer)[1])]">
          <xsl:sort select="@customer" data-type="number"/>
          <h2>Customer <xsl:value-of select="@customer"/></h2>
          <table>
            <xsl:apply-templates select="key('by-customer', @customer)"><xsl:sort select="title"/></xsl:apply-templates>
          </table>
          <p>Total:
            <xsl:call-template name="total">
              <xsl:with-param name="items" select="key('by-customer', @customer)/item"/>
            </xsl:call-template>
          </p>
        </xsl:for-each>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="order">
    <tr class="o{position() mod 2}">
      <td><xsl:value-of select="translate(title, $lower, $upper)"/></td>
      <td>
        <xsl:for-each select="item">
          <xsl:if test="position() &gt; 1">, </xsl:if>
          <xsl:value-of select="concat(@name, ' × ', @count)"/>
        </xsl:for-each>
      </td>
      <td>
        <xsl:choose>
          <xsl:when test="count(item) &gt; 3">many</xsl:when>
          <xsl:when test="sum(item/@cents) &gt; 5000">dear</xsl:when>
          <xsl:otherwise><xsl:value-of select="format-number(sum(item/@cents) div 100, '#,##0.00')"/></xsl:otherwise>
        </xsl:choose>
      </td>
      <td><xsl:apply-templates select="note"/></td>
    </tr>
  </xsl:template>

  <xsl:template match="note"><em><xsl:value-of select="normalize-space(.)"/></em></xsl:template>
  <xsl:template match="note[@urgent]"><strong><xsl:value-of select="substring(., 1, 20)"/></strong></xsl:template>

  <xsl:template name="total">
    <xsl:param name="items"/>
    <xsl:param name="so-far" select="0"/>
    <xsl:choose>
      <xsl:when test="$items">
        <xsl:call-template name="total">
          <xsl:with-param name="items" select="$items[position() &gt; 1]"/>
          <xsl:with-param name="so-far" select="$so-far + $items[1]/@count * $items[1]/@cents"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$so-far"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
